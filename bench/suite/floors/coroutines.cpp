#include "bench/suite/floors/coroutines.hpp"

#include <array>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "bench/suite/workloads/sizes.hpp"

namespace loopbench::bench::floors {

namespace {

/// An entry of the job queue. It is a part of the coroutine's frame or of the waiting object, so that
/// queueing allocates nothing.
struct job {
    void (*run)(job&);
    job* next = nullptr;
};

class job_queue {
public:
    job_queue() = default;
    job_queue(const job_queue&) = delete;
    job_queue& operator=(const job_queue&) = delete;

    void push(job& last) noexcept {
        last.next = nullptr;
        *end_ = &last;
        end_ = &last.next;
    }

    void run() {
        while (job* const first = first_) {
            first_ = first->next;
            if (first_ == nullptr) end_ = &first_;
            first->run(*first);
        }
    }

private:
    job* first_ = nullptr;
    job** end_ = &first_;
};

/// A store of freed coroutine frames, sorted by size, for reuse. (Loops have such a store, too.) Only one
/// thread can use it.
class frame_pool {
public:
    static void* take(std::size_t bytes) {
        block*& free = free_[class_of(bytes)];
        if (free == nullptr) return ::operator new((class_of(bytes) + 1) * step);
        return std::exchange(free, free->next);
    }
    static void give_back(void* frame, std::size_t bytes) noexcept {
        block*& free = free_[class_of(bytes)];
        free = ::new (frame) block{free};
    }

private:
    struct block {
        block* next;
    };
    static constexpr std::size_t step = 64, classes = 64;
    static std::size_t class_of(std::size_t bytes) {
        const std::size_t found = (bytes - 1) / step;
        if (found >= classes) throw std::bad_alloc();
        return found;
    }
    static inline std::array<block*, classes> free_{};
};

struct pooled_frame {
    static void* operator new(std::size_t bytes) { return frame_pool::take(bytes); }
    static void operator delete(void* frame, std::size_t bytes) noexcept {
        frame_pool::give_back(frame, bytes);
    }
};

struct resumption : job {
    std::coroutine_handle<> waiting;
    explicit resumption(std::coroutine_handle<> who = {}) noexcept
        : job{[](job& self) { static_cast<resumption&>(self).waiting.resume(); }}, waiting(who) {}
};

struct yield_once : resumption {
    job_queue& queue;
    explicit yield_once(job_queue& to) noexcept : queue(to) {}
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> who) noexcept {
        waiting = who;
        queue.push(*this);
    }
    void await_resume() const noexcept {}
};

/// A coroutine for which no other coroutine waits. Its frame is freed at its end.
struct spawned {
    struct promise_type : pooled_frame, resumption {
        promise_type(job_queue& queue, std::uint64_t&) noexcept
            : resumption(std::coroutine_handle<promise_type>::from_promise(*this)) {
            queue.push(*this);
        }
        spawned get_return_object() const noexcept { return {}; }
        std::suspend_always initial_suspend() const noexcept { return {}; }
        std::suspend_never final_suspend() const noexcept { return {}; }
        void return_void() const noexcept {}
        void unhandled_exception() const noexcept { std::terminate(); }
    };
};

struct join {
    std::size_t left = 0;
    std::coroutine_handle<> waiting;
};

struct continue_waiter {
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) const noexcept {
        auto& promise = ended.promise();
        if (promise.of == nullptr) return promise.waiting;
        if (--promise.of->left > 0) return std::noop_coroutine();
        return promise.of->waiting;
    }
    void await_resume() const noexcept {}
};

struct bare_promise : pooled_frame {
    std::coroutine_handle<> waiting;
    join* of = nullptr;
    std::suspend_always initial_suspend() const noexcept { return {}; }
    continue_waiter final_suspend() const noexcept { return {}; }
    void unhandled_exception() const noexcept { std::terminate(); }
};

struct void_result : bare_promise {
    void return_void() const noexcept {}
};

template <class T>
struct with_result : bare_promise {
    T result{};
    void return_value(T value) noexcept { result = value; }
};

template <class T>
class [[nodiscard]] bare_task {
public:
    struct promise_type : std::conditional_t<std::is_void_v<T>, void_result, with_result<T>> {
        bare_task get_return_object() noexcept {
            return bare_task(std::coroutine_handle<promise_type>::from_promise(*this));
        }
    };

    bare_task() = default;
    bare_task(bare_task&& other) noexcept : frame_(std::exchange(other.frame_, {})) {}
    bare_task& operator=(bare_task other) noexcept {
        std::swap(frame_, other.frame_);
        return *this;
    }
    ~bare_task() {
        if (frame_) frame_.destroy();
    }

    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting) noexcept {
        frame_.promise().waiting = waiting;
        return frame_;
    }
    T await_resume() const noexcept {
        if constexpr (!std::is_void_v<T>) return frame_.promise().result;
    }

    void start_in(join& all) const {
        frame_.promise().of = &all;
        frame_.resume();
    }
    void start() const {
        frame_.promise().waiting = std::noop_coroutine();
        frame_.resume();
    }

private:
    explicit bare_task(std::coroutine_handle<promise_type> frame) noexcept : frame_(frame) {}
    std::coroutine_handle<promise_type> frame_;
};

class gather {
public:
    explicit gather(std::span<bare_task<void>> children) noexcept : children_(children) {}
    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> waiting) {
        all_.left = children_.size() + 1;
        all_.waiting = waiting;
        for (const auto& child : children_) child.start_in(all_);
        return --all_.left > 0;
    }
    void await_resume() const noexcept {}

private:
    std::span<bare_task<void>> children_;
    join all_;
};

void run_to_its_end(job_queue& queue, const bare_task<void>& main) {
    main.start();
    queue.run();
}

struct chain_link : job {
    job_queue& queue;
    trial& t;
    std::uint64_t ran = 0, last = 0;

    chain_link(job_queue& to, trial& of)
        : job{[](job& self) { static_cast<chain_link&>(self).step(); }}, queue(to), t(of) {}

    void step() {
        if (++ran < last || (last += t.next()) > ran)
            queue.push(*this);
        else
            t.end();
    }
};

struct counted : job {
    std::uint64_t* ran;
    explicit counted(std::uint64_t& count)
        : job{[](job& self) { ++*static_cast<counted&>(self).ran; }}, ran(&count) {}
};

constexpr std::uint64_t batch_size = 1000;

bare_task<void> walk(job_queue& queue, std::uint64_t& mine, const std::uint64_t& others,
                     std::uint64_t& out_of_turn) {
    for (int i = 0; i < 1000; ++i) {
        if (++mine > others + 1) ++out_of_turn;
        co_await yield_once(queue);
    }
}

bare_task<void> yields(job_queue& queue, trial& t) {
    std::uint64_t left = 0, right = 0, out_of_turn = 0;
    std::array both{walk(queue, left, right, out_of_turn), walk(queue, right, left, out_of_turn)};
    co_await gather(both);
    t.prove("number of steps of two coroutines that yield to each other", 2000, left + right);
    t.prove("number of steps that the same coroutine took twice in a row", 0, out_of_turn);
    t.begin();
    while (const std::uint64_t count = t.next())
        for (std::uint64_t i = 0; i < count; ++i) co_await yield_once(queue);
    t.end();
}

spawned empty_coroutine(job_queue&, std::uint64_t& ran) {
    ++ran;
    co_return;
}

bare_task<void> spawn_batch(job_queue& queue, std::uint64_t& ran, std::uint64_t& ran_inline) {
    const std::uint64_t before = ran;
    for (std::uint64_t i = 0; i < batch_size; ++i) empty_coroutine(queue, ran);
    ran_inline += ran - before;
    co_await yield_once(queue);
}

bare_task<void> spawns(job_queue& queue, trial& t) {
    std::uint64_t made = 0, ran = 0, ran_inline = 0;
    co_await spawn_batch(queue, ran, ran_inline);  // warm-up: the first use of the coroutines' memory
    ran = 0;
    t.begin({.operations = batch_size});
    while (const std::uint64_t count = t.next()) {
        for (std::uint64_t left = count / batch_size; left > 0; --left)
            co_await spawn_batch(queue, ran, ran_inline);
        made += count;
    }
    t.end();
    t.prove("number of spawned coroutines that ran", made, ran);
    t.prove("number of spawned coroutines that ran inside spawn()", 0, ran_inline);
}

bare_task<std::uint64_t> leaf(std::uint64_t value) {
    co_return value;
}

bare_task<void> awaits(trial& t) {
    std::uint64_t sum = 0, awaited = 0;
    t.begin();
    while (const std::uint64_t count = t.next())
        for (const std::uint64_t last = awaited + count; awaited < last;) sum += co_await leaf(++awaited);
    t.end();
    t.prove("sum of the values that the coroutines returned", t.operations() * (t.operations() + 1) / 2, sum);
}

bare_task<void> ready_child(job_queue&, std::uint64_t& ended) {
    ++ended;
    co_return;
}

bare_task<void> yielding_child(job_queue& queue, std::uint64_t& ended) {
    co_await yield_once(queue);
    ++ended;
}

bare_task<void> gather_thousands(job_queue& queue, trial& t,
                                 bare_task<void> (*start)(job_queue&, std::uint64_t&)) {
    using workloads::gather_children;
    std::uint64_t started = 0, ended = 0, incomplete = 0;
    std::vector<bare_task<void>> children(gather_children);
    for (auto& child : children) child = start(queue, ended);
    co_await gather(children);
    for (auto& child : children) child = {};
    ended = 0;
    t.begin({.operations = gather_children});
    while (const std::uint64_t count = t.next()) {
        for (const std::uint64_t last = started + count; started < last;) {
            for (auto& child : children) child = start(queue, ended);
            started += gather_children;
            co_await gather(children);
            if (ended != started) ++incomplete;
            for (auto& child : children) child = {};
        }
    }
    t.end();
    t.prove("number of children that ended", started, ended);
    t.prove("number of gathers that completed before their children", 0, incomplete);
}

constexpr std::uint64_t fan_out = 10;

bare_task<void> tree(job_queue& queue, std::uint64_t leaves, std::uint64_t& ended) {
    const auto child = [&] {
        return leaves == fan_out ? yielding_child(queue, ended) : tree(queue, leaves / fan_out, ended);
    };
    std::array children{child(), child(), child(), child(), child(),
                        child(), child(), child(), child(), child()};
    static_assert(children.size() == fan_out);
    co_await gather(children);
}

bare_task<void> trees(job_queue& queue, trial& t, std::uint64_t leaves) {
    std::uint64_t started = 0, ended = 0, incomplete = 0;
    co_await tree(queue, leaves, ended);
    ended = 0;
    t.begin({.operations = leaves});
    while (const std::uint64_t count = t.next()) {
        for (const std::uint64_t last = started + count; started < last;) {
            started += leaves;
            co_await tree(queue, leaves, ended);
            if (ended != started) ++incomplete;
        }
    }
    t.end();
    t.prove("number of leaves that ended", started, ended);
    t.prove("number of trees that completed before their leaves", 0, incomplete);
}

}  // namespace

void post_chain(trial& t) {
    job_queue queue;
    chain_link link(queue, t);
    t.begin();
    link.last = t.next();
    queue.push(link);
    queue.run();
    t.prove("number of functions that ran", t.operations(), link.ran);
}

void post_batch(trial& t) {
    job_queue queue;
    std::uint64_t ran = 0;
    std::vector<counted> batch(batch_size, counted(ran));
    t.begin({.operations = batch_size});
    while (const std::uint64_t count = t.next()) {
        for (std::uint64_t left = count / batch_size; left > 0; --left) {
            for (counted& each : batch) queue.push(each);
            queue.run();
        }
    }
    t.end();
    t.prove("number of functions that ran", t.operations(), ran);
}

void yield(trial& t) {
    job_queue queue;
    run_to_its_end(queue, yields(queue, t));
}

void spawn(trial& t) {
    job_queue queue;
    run_to_its_end(queue, spawns(queue, t));
}

void await_leaf(trial& t) {
    awaits(t).start();
}

void gather_ready(trial& t) {
    job_queue queue;
    run_to_its_end(queue, gather_thousands(queue, t, ready_child));
}

void gather_yield(trial& t) {
    job_queue queue;
    run_to_its_end(queue, gather_thousands(queue, t, yielding_child));
}

void gather_tree(trial& t, std::uint64_t leaves) {
    job_queue queue;
    run_to_its_end(queue, trees(queue, t, leaves));
}

}  // namespace loopbench::bench::floors
