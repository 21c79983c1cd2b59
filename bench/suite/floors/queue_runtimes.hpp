// The floors floor-mutex-queue and floor-stealing-queue: threads that run functions from a queue, and nothing
// else. They have no timers and no sockets.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "bench/suite/floors/parked_threads.hpp"
#include "bench/suite/floors/stealing_queue.hpp"
#include "bench/suite/threads/crew.hpp"
#include "bench/suite/threads_runtime.hpp"

namespace loopbench::bench::floors {

/// A function with a few bytes of captures, without memory of its own.
class small_function {
public:
    small_function() = default;
    template <class F>
    explicit small_function(const F& function) noexcept {
        static_assert(std::is_trivially_copyable_v<F> && sizeof(F) <= sizeof(captures_));
        ::new (&captures_) F(function);
        call_ = [](void* captures) { (*std::launder(static_cast<F*>(captures)))(); };
    }
    void operator()() { call_(&captures_); }

private:
    alignas(std::max_align_t) std::array<std::byte, 32> captures_{};
    void (*call_)(void*) = nullptr;
};

/// The parts of a ThreadedRuntime that are the same for both queues. `Queues` is the derived class, whose
/// functions push(function), which any thread can call, and work(index) make up the floor.
template <class Queues>
class queue_runtime {
public:
    static constexpr home_kind homes_are = home_kind::any_thread;

    std::size_t threads() const noexcept { return threads_; }
    std::size_t homes() const noexcept { return threads_; }

    template <class F>
    void post(std::size_t, const F& function) {
        self().push(small_function(function));
    }
    template <class F>
    void post_to_any(const F& function) {
        self().push(small_function(function));
    }

private:
    // The functions of a strand. The thread that finds the strand idle posts the first of them, and each
    // posts the next one.
    struct serial_queue {
        std::mutex mutex;
        std::deque<small_function> waiting;
        bool is_running = false;
    };

public:
    class strand {
    public:
        template <class F>
        void post(const F& function) {
            const std::lock_guard lock(queue_->mutex);
            queue_->waiting.emplace_back(function);
            if (!std::exchange(queue_->is_running, true)) all_->run_next_of(*queue_);
        }

    private:
        friend queue_runtime;
        strand(queue_runtime& all, serial_queue& queue) : all_(&all), queue_(&queue) {}
        queue_runtime* all_;
        serial_queue* queue_;
    };
    strand make_strand(std::size_t) {
        const std::lock_guard lock(strands_mutex_);
        return {*this, strands_.emplace_back()};
    }

protected:
    explicit queue_runtime(std::size_t threads) : threads_(threads) {}

private:
    Queues& self() noexcept { return static_cast<Queues&>(*this); }

    void run_next_of(serial_queue& queue) {
        post_to_any([this, to = &queue] {
            std::unique_lock lock(to->mutex);
            small_function next = to->waiting.front();
            to->waiting.pop_front();
            lock.unlock();
            next();
            lock.lock();
            to->is_running = !to->waiting.empty();
            if (to->is_running) run_next_of(*to);
        });
    }

    const std::size_t threads_;
    std::mutex strands_mutex_;
    std::deque<serial_queue> strands_;
};

/// One queue for all threads, protected by a mutex.
class mutex_queue_runtime : public queue_runtime<mutex_queue_runtime> {
public:
    explicit mutex_queue_runtime(const thread_plan& plan)
        : queue_runtime(plan.threads),
          crew_(plan, {.work = [this](std::size_t) { work(); }, .end_work = [this] { finish(); }}) {}

    void push(const small_function& function) {
        {
            const std::lock_guard lock(mutex_);
            queue_.push_back(function);
            if (sleeping_ == 0) return;
        }
        changed_.notify_one();
    }

    void run() { crew_.run(); }
    void finish() {
        const std::lock_guard lock(mutex_);
        is_finished_ = true;
        changed_.notify_all();
    }

private:
    void work() {
        std::unique_lock lock(mutex_);
        for (;;) {
            ++sleeping_;
            changed_.wait(lock, [this] { return is_finished_ || !queue_.empty(); });
            --sleeping_;
            if (is_finished_) return;
            small_function next = queue_.front();
            queue_.pop_front();
            lock.unlock();
            next();
            lock.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<small_function> queue_;
    std::size_t sleeping_ = 0;
    bool is_finished_ = false;
    thread_crew crew_;
};

using stealing_queue = basic_stealing_queue<std::atomic, small_function, 1 << 16>;

/// A queue for each thread, and one for posts from outside. A thread without work steals.
class stealing_queue_runtime : public queue_runtime<stealing_queue_runtime> {
public:
    explicit stealing_queue_runtime(const thread_plan& plan);
    ~stealing_queue_runtime();

    void push(const small_function& function);
    void run() { crew_.run(); }
    void finish();

private:
    struct alignas(bytes_apart) worker {
        stealing_queue queue;
        std::vector<std::unique_ptr<small_function>> free;  // used by the thread alone
    };

    void work(std::size_t index);
    small_function* find_work(std::size_t index);
    bool has_work() const noexcept;

    std::vector<worker> workers_;
    parked_threads parked_;
    std::mutex mutex_;
    std::deque<small_function*> from_outside_;  // with mutex_
    std::atomic<std::size_t> outside_count_{0};
    std::atomic<bool> is_finished_{false};
    thread_crew crew_;
};

}  // namespace loopbench::bench::floors
