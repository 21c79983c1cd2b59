// A group of loops, each with its own thread. The loops share nothing: each has its own driver, timers and
// tasks, and a task never moves to another loop. Loops cooperate by messages (inbox.hpp).
//
// Thread rules: any thread, also the threads of the loops, may call the functions of loop_group, except where
// a comment says otherwise. Everything that belongs to a loop (its tasks, streams, timers) is used only in
// the thread of this loop, by functions and tasks that the group starts there.
#pragma once

#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "loop/inbox.hpp"
#include "loop/net/stream.hpp"

namespace loopbench::loop {

struct group_options {
    std::size_t loops = 0;                   // 0: one for each CPU that the creating thread may use
    std::string_view design = "loop-epoll";  // see designs.hpp; it also chooses the driver
    /// The CPUs to which the loops' threads are pinned, in the order of the loops. If there are fewer CPUs
    /// than loops, loops share a CPU. Empty: the kernel moves the threads between the CPUs.
    std::vector<int> cpus = {};
};

/// The way in which a group distributes the connections of a listener to its loops.
enum class distribution {
    /// Each loop has its own listener on the same port (SO_REUSEPORT), and serves what it accepts. The kernel
    /// chooses the loop by a hash; with few connections, some loops can get many and others none.
    reuse_port,
    /// Loop 0 accepts, and hands the connections to all loops in turn. Each loop gets the same number.
    hand_over,
};

class loop_group {
public:
    /// Serves a connection. Each loop calls its own copy, in its own thread; the copy exists as long as the
    /// tasks that it has returned.
    using serve_function = std::function<task<void>(stream)>;

    /// Starts the threads. Returns when all loops can run. Throws std::invalid_argument for an unknown
    /// design; throws std::system_error, with the cause, if a thread cannot start, if a thread cannot be
    /// pinned because the process must not use the CPU, or if the kernel refuses the driver. In these cases,
    /// no thread remains.
    explicit loop_group(const group_options& options = {});
    loop_group& operator=(loop_group&&) = delete;
    /// Calls stop(), waits for the threads, and drops the exception of a failed loop. Must not be called in a
    /// thread of the group.
    ~loop_group();

    std::size_t size() const noexcept { return members_.size(); }

    /// Returns a loop. Use it only in its own thread, where it exists until its last task is destroyed.
    /// Throws std::out_of_range if there is no loop with this index, as do all functions with an index.
    event_loop& operator[](std::size_t index);

    /// Calls function(loop) on loop `index`, as a later callback of this loop. Functions that one thread
    /// sends to one loop run in the order of sending. If the function throws, the group fails (see wait()).
    /// Returns false, and destroys the function, if the loop has stopped. If the loop stops before the
    /// function runs, the function is destroyed in the loop's thread.
    template <class F>
    bool post(std::size_t index, F&& function) {
        return inbox_of(index).post(std::forward<F>(function));
    }

    /// Does the same on one of the loops, which take turns.
    template <class F>
    bool post_to_any(F&& function) {
        return post(next_.fetch_add(1, std::memory_order_relaxed) % size(), std::forward<F>(function));
    }

    /// Calls make(loop), which returns a task, on loop `index`, and runs the task there. `make` can be a
    /// coroutine; it exists until the task has ended. The future receives the task's value or exception. It
    /// receives task_cancelled if the loop stops before the task has ended. Do not wait for the future in a
    /// thread of the group, because its loop would stand still.
    template <class Make, class T = decltype(std::declval<Make&>()(std::declval<event_loop&>()).result())>
    std::future<T> run(std::size_t index, Make make);

    class batch;

    /// Listens on `local`, which must be a TCP endpoint for distribution::reuse_port. Each loop starts
    /// serve(connection) for each connection that it gets; if this task fails, the group fails (see wait()).
    /// Returns the endpoint with its port. If the process is out of descriptors, the listener waits until it
    /// can accept again (see listener::accept()). Throws a std::system_error that names the endpoint, for
    /// example if another program uses the port; throws std::invalid_argument if loops cannot share the
    /// endpoint, and std::runtime_error if a loop has stopped.
    endpoint listen(const endpoint& local, distribution how, const serve_function& serve);

    /// Closes all listeners, soon. Connections that no loop has accepted are refused or reset; other
    /// connections continue.
    void stop_accepting();

    /// Ends the loops: each runs the functions that this thread has posted before, and destroys its remaining
    /// tasks and functions. Afterwards, the loops refuse functions. Returns at once; see wait().
    void stop() noexcept;

    /// Waits until all loops have stopped, because of stop() or because the group has failed. A group fails
    /// if a posted function, a callback or a spawned task of a loop throws; then all loops stop, and the
    /// first wait() throws the first such exception. Only one thread at a time may call wait() or finish().
    /// Throws std::logic_error in a thread of the group.
    void wait();

    /// Calls stop_accepting(), waits until all connections and all tasks of run() have ended, but at most for
    /// `patience`, and then calls stop() and wait(). Returns false if one of them was destroyed before its
    /// end, by this call or by an earlier stop(). A task of run() that never began does not count.
    bool finish(nanoseconds patience = nanoseconds::max());

private:
    struct member;
    struct service;
    class task_count;
    template <class T>
    class answer;
    enum class phase { starting, running, given_up };

    struct no_loops {};
    explicit loop_group(no_loops);

    template <class Make, class T>
    static task<void> answered(event_loop& loop, Make make, answer<T> to, task_count counted);
    static task<void> counted(task<void> work, task_count count);
    task<void> accept_all(member& self, std::vector<service*> servers);
    static void start_serving(event_loop& loop, service& by, stream connection, task_count counted);

    member& member_at(std::size_t index) const;
    inbox& inbox_of(std::size_t index);
    void start_all(const group_options& options);
    void run_member(member& self, const group_options& options, std::promise<void> started);
    void run_loop(member& self);
    void fail(std::exception_ptr failure) noexcept;
    void task_has_left(bool is_incomplete) noexcept;
    void enter(phase next);
    void refuse_own_threads() const;
    void join_all();

    std::vector<std::unique_ptr<member>> members_;
    std::mutex mutex_;
    std::condition_variable changed_;  // of the next members, and of tasks_
    phase phase_ = phase::starting;
    std::exception_ptr failure_;
    alignas(64) std::atomic<std::size_t> next_{0};
    alignas(64) std::atomic<std::size_t> tasks_{0};
    std::atomic<bool> task_was_destroyed_{false};
};

/// Counts one task or connection for which finish() waits, also while it is on its way to its loop. After
/// begin(), destroying the count without end() makes finish() return false.
class loop_group::task_count {
public:
    explicit task_count(loop_group& counted_by) noexcept : group_(&counted_by) {
        group_->tasks_.fetch_add(1, std::memory_order_relaxed);
    }
    task_count(task_count&& other) noexcept
        : group_(std::exchange(other.group_, nullptr)), is_incomplete_(other.is_incomplete_) {}
    task_count& operator=(task_count&&) = delete;
    ~task_count() {
        if (group_ != nullptr) group_->task_has_left(is_incomplete_);
    }

    task_count&& begin() noexcept {
        is_incomplete_ = true;
        return std::move(*this);
    }
    void end() noexcept { is_incomplete_ = false; }

private:
    loop_group* group_;
    bool is_incomplete_ = false;
};

/// A promise whose destruction without a result sets task_cancelled.
template <class T>
class loop_group::answer : public std::promise<T> {
public:
    answer() = default;
    answer(answer&& other) noexcept
        : std::promise<T>(std::move(other)), is_open_(std::exchange(other.is_open_, false)) {}
    answer& operator=(answer&&) = delete;
    ~answer() {
        if (is_open_) set_exception(std::make_exception_ptr(task_cancelled()));
    }

    template <class... Value>
    void set_value(Value&&... value) {
        std::promise<T>::set_value(std::forward<Value>(value)...);
        is_open_ = false;
    }
    void set_exception(std::exception_ptr failure) {
        is_open_ = false;
        std::promise<T>::set_exception(std::move(failure));
    }

private:
    bool is_open_ = true;
};

template <class Make, class T>
task<void> loop_group::answered(event_loop& loop, Make make, answer<T> to, task_count count) {
    try {
        if constexpr (std::is_void_v<T>) {
            co_await make(loop);
            to.set_value();
        } else {
            to.set_value(co_await make(loop));
        }
    } catch (...) {
        to.set_exception(std::current_exception());
    }
    count.end();
}

template <class Make, class T>
std::future<T> loop_group::run(std::size_t index, Make make) {
    answer<T> to;
    std::future<T> outcome = to.get_future();
    post(index,
         [make = std::move(make), to = std::move(to), counted = task_count(*this)](event_loop& loop) mutable {
             loop.spawn(answered(loop, std::move(make), std::move(to), counted.begin()));
         });
    return outcome;
}

/// Messages that are sent together: each loop gets all its messages with one atomic access, and at most one
/// wake-up. Use a batch in one thread.
class loop_group::batch {
public:
    explicit batch(loop_group& to) : group_(to), chains_(to.size()) {}
    batch& operator=(batch&&) = delete;
    /// Sends the messages.
    ~batch() { send(); }

    /// Adds a message, which calls function(loop) on loop `index` (see loop_group::post()).
    template <class F>
    void post(std::size_t index, F&& function) {
        operation& added = group_.inbox_of(index).make_message(std::forward<F>(function));
        chain& to = chains_[index];
        added.next = to.newest;
        if (to.newest == nullptr) to.oldest = &added;
        to.newest = &added;
        ++to.count;
    }

    /// Sends the messages, and empties the batch. Returns the number of messages that were refused, because
    /// their loops have stopped; these messages were destroyed.
    std::size_t send() noexcept;

private:
    struct chain {
        operation* newest = nullptr;
        operation* oldest = nullptr;
        std::size_t count = 0;
    };

    loop_group& group_;
    std::vector<chain> chains_;
};

}  // namespace loopbench::loop
