// The part of a loop that is the same in every design, and in our runtimes over other libraries: the ready
// queue, tasks that no other task awaits, and functions posted by other threads. It knows nothing about time
// or I/O.
#pragma once

#include <atomic>
#include <memory>
#include <stdexcept>

#include "loop/coro/debug.hpp"
#include "loop/coro/join.hpp"
#include "loop/posting.hpp"

namespace loopbench::loop {

/// The tasks that no other task awaits. Owns their frames, which contain the list's links, and keeps an
/// exception that they throw. Loop's thread only.
class root_list final : detail::root_owner {
public:
    root_list& operator=(root_list&&) = delete;
    ~root_list() { destroy_all(); }

    /// Makes a frame a root that this list owns and frees at its end. In debug mode, `where` names the task.
    template <class T>
    detail::root_state& adopt(task<T> spawned, const std::source_location& where = {}) noexcept {
        spawned.become_root(*this, where);
        return adopt_running(std::move(spawned));
    }

    /// Takes over the main task of a run() that another task's exception has ended.
    template <class T>
    detail::root_state& adopt_running(task<T> main) noexcept {
        detail::root_state& root = main.release().promise().root;
        root.owner = this;
        root.next_root = newest_;
        root.previous_link = &newest_;
        if (newest_ != nullptr) newest_->previous_link = &root.next_root;
        newest_ = &root;
        return root;
    }

    /// Returns true if an exception has ended a root and was not taken yet. A cancellation is not a failure.
    bool has_failure() const noexcept { return failure_ != nullptr; }
    std::exception_ptr take_failure() noexcept { return std::exchange(failure_, nullptr); }

    void destroy_all() noexcept {
        while (newest_ != nullptr) unlink_and_destroy(*newest_);
    }

private:
    std::coroutine_handle<> root_ended(detail::promise_base& promise) noexcept override {
        if (promise.exception) [[unlikely]] {
            try {
                std::rethrow_exception(promise.exception);
            } catch (const task_cancelled&) {  // it ended as requested
            } catch (...) {
                failure_ = std::current_exception();
            }
        }
        unlink_and_destroy(promise.root);
        return std::noop_coroutine();
    }

    static void unlink_and_destroy(detail::root_state& root) noexcept {
        *root.previous_link = root.next_root;
        if (root.next_root != nullptr) root.next_root->previous_link = root.previous_link;
        root.frame.destroy();
    }

    detail::root_state* newest_ = nullptr;
    std::exception_ptr failure_;
};

class yield_awaiter : awaiter<> {
public:
    explicit yield_awaiter(ready_queue& ready) noexcept : ready_(ready) {}

    bool await_ready() const noexcept { return false; }

    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> coroutine) noexcept {
        if (!suspend(coroutine, nullptr)) return false;
        ready_.push(*this);
        return true;
    }

    void await_resume() { throw_if_cancelled(); }

private:
    ready_queue& ready_;
};

/// The part of a loop that runs operations. All members are for the loop's thread only, except
/// post_from_any_thread() and push_from_any_thread().
class scheduler {
public:
    scheduler& operator=(scheduler&&) = delete;

    /// Runs until `main` is done; returns its value or throws its exception. If another task or callback
    /// throws, run() throws that exception instead, and `main` continues as a spawned task. Throws
    /// std::logic_error if called inside run(). In debug mode, `where` names the task.
    template <class T>
    T run(task<T> main, const std::source_location& where = std::source_location::current()) {
        const auto running = start_running();
        ready_.push(main.become_root(main_end_, where));
        main_end_.reached = false;
        try {
            take_turns(main_end_.reached);
        } catch (...) {
            if (!main.done()) roots_.adopt_running(std::move(main));
            throw;
        }
        return main.result();
    }

    /// Runs f() on the next turn, in the order of posting. If f() throws, run() throws that exception.
    template <class F>
    void post(F&& function) {
        ready_.push(with_name<F>(make_callback(std::forward<F>(function))));
    }

    /// Runs f() on a later turn of the loop, and wakes the loop if it sleeps. Any thread. The loop must
    /// outlive this call, not only f: f may run, and may end run(), before this function returns. If several
    /// threads post at the same time, only the first one wakes the loop: a sleeping loop runs none of their
    /// functions until that thread has made its wake-up call.
    template <class F>
    void post_from_any_thread(F&& function) {
        push_from_any_thread(with_name<F>(make_callback<operation>(std::forward<F>(function))));
    }
    /// Does the same with an existing operation, and allocates nothing.
    void push_from_any_thread(operation& op) noexcept {
        // If the stack was not empty, the thread that made it non-empty wakes the loop, which then takes all
        // operations.
        if (posted_.push(op)) wake();
    }

    /// Starts a task that no other task awaits. Its frame is freed when it ends, or with the loop. If it
    /// throws anything except task_cancelled, run() throws that exception. In debug mode, `where` names the
    /// task.
    template <class T>
    void spawn(task<T> detached, const std::source_location& where = std::source_location::current()) {
        ready_.push(roots_.adopt(std::move(detached), where));
    }

    /// Awaitable; lets everything run that is ready now, then continues.
    yield_awaiter yield() noexcept { return yield_awaiter(ready_); }

    /// Starts all `children` in order, each immediately unless the gather is deeply nested; completes when
    /// all of them have ended. The tasks keep their values (task::result()) and must outlive the await. If
    /// children throw, the await throws the first exception when all have ended; `mode` can make that
    /// exception cancel the other children, or not be thrown. Cancelling the gather cancels all children.
    template <class T, std::size_t Extent>
    join_awaiter<T, void> gather(std::span<task<T>, Extent> children,
                                 join_mode mode = join_mode::all) noexcept {
        return {ready_, children, mode};
    }

    /// Starts all `children` (at least one). The first child that ends cancels the others. Completes when all
    /// of them have ended, and returns the index of the first one. If the first one threw, throws its
    /// exception.
    template <class T, std::size_t Extent>
    join_awaiter<T, std::size_t> race(std::span<task<T>, Extent> children) noexcept {
        return {ready_, children, join_mode::cancel_on_first};
    }

    /// Debug mode: calls `warn`, between callbacks, for every callback or task step that took `limit` or
    /// longer (asyncio's limit is 100 ms). Passes the duration and a name: for a task, the place that spawned
    /// it; for a function, its type. An empty function turns the warnings off.
    void warn_of_slow_callbacks(nanoseconds limit, debug_mode::slow_warning warn);

    /// Debug mode: calls `warn` when the last future that holds an exception is destroyed and no code has
    /// retrieved the exception. This applies to promises and to tasks of create_task(). (A spawned task's
    /// exception leaves run().) A cancellation does not count. `warn` must not throw. An empty function turns
    /// the warnings off.
    void warn_of_unretrieved_exceptions(debug_mode::unretrieved_warning warn);

    // For drivers, timer queues, futures and awaiters.

    /// Returns the ready queue. Operations pushed here run on a later turn.
    ready_queue& ready() noexcept { return ready_; }
    bool has_ready() const noexcept { return !ready_.empty(); }
    /// Returns true if another thread has posted something that is not yet in the ready queue.
    bool has_posted() const noexcept { return !posted_.empty(); }
    void exception_was_not_retrieved(const std::exception_ptr& exception,
                                     const std::source_location& made_at) const noexcept;

protected:
    struct end_of_run {
        void operator()(bool* running) const noexcept { *running = false; }
    };
    /// Marks the loop as running while the returned object lives. Throws std::logic_error inside a turn: the
    /// inner turn would run the operations of the outer one.
    [[nodiscard]] std::unique_ptr<bool, end_of_run> start_running() {
        if (std::exchange(running_, true))
            throw std::logic_error(
                "run() or turn() was called inside a turn of the same loop; await the task instead");
        return std::unique_ptr<bool, end_of_run>(&running_);
    }

    ~scheduler() = default;

    /// Takes one turn, and more until `done` is true.
    virtual void take_turns(const bool& done) = 0;
    /// Called in the main task's last step, when `done` has just become true.
    virtual void main_ended() noexcept {}
    /// Ends the wait of the current or the next turn. Any thread.
    virtual void wake() noexcept = 0;
    /// Returns the time, for debug mode.
    virtual time_point time_of_callbacks() noexcept { return std::chrono::steady_clock::now(); }

    /// Frees everything that is queued or suspended. The loop's timers and driver must still exist.
    void close() noexcept;

    /// Returns false if nothing was posted.
    bool take_posted() noexcept { return posted_.take_all(ready_); }
    root_list& roots() noexcept { return roots_; }

    /// Runs the operations that are ready at the call, but none that become ready meanwhile, until
    /// `units_max` units of the work budget are used. This function and run_singly() are the only places that
    /// complete queued operations. If an operation throws or the budget is used up, the remaining operations
    /// stay at the front of the queue. (Not inlined, this function would make yield and post/chain 10 %
    /// slower.)
    [[gnu::always_inline]] void run_ready(std::size_t units_max) {
        operation* next = ready_.release();
        operation* const last = ready_.back();
        try {
            while (next != nullptr && ready_.budget.used() < units_max) {
                operation& op = *std::exchange(next, next->next);
                if (units_max == work_budget::without_limit) ready_.budget.refill();  // one for each callback
                ready_.budget.use(work_budget::units_of_a_callback);
                if (debug_) [[unlikely]] {
                    run_timed(op);
                } else {
                    op.complete(&op, completion::run);
                }
                if (roots_.has_failure()) [[unlikely]]
                    std::rethrow_exception(roots_.take_failure());
            }
        } catch (...) {
            ready_.prepend(next, last);
            throw;
        }
        ready_.prepend(next, last);
    }

    /// Runs ready operations in order, one by one, so that it can be called inside a callback. Stops after
    /// `callbacks_max` operations or when the work budget is used up.
    void run_singly(std::size_t callbacks_max) {
        for (; callbacks_max > 0 && !ready_.empty() && ready_.budget.used() < work_budget::units_max;
             --callbacks_max) {
            operation& op = ready_.pop();
            ready_.budget.use(work_budget::units_of_a_callback);
            op.complete(&op, completion::run);
            if (roots_.has_failure()) [[unlikely]]
                std::rethrow_exception(roots_.take_failure());
        }
    }

    /// Discards everything that is queued or was posted. Returns false if there was nothing.
    bool discard_queued() noexcept {
        take_posted();
        const bool any = has_ready();
        ready_.discard_all();
        return any;
    }

private:
    struct main_end final : detail::root_owner {
        explicit main_end(scheduler& of) noexcept : owner(of) {}
        std::coroutine_handle<> root_ended(detail::promise_base&) noexcept override {
            reached = true;
            owner.main_ended();
            return std::noop_coroutine();
        }
        scheduler& owner;
        bool reached = false;
    };

    // Debug mode. Once created, it stays.
    debug_mode& debug();
    void run_timed(operation& op);
    template <class F>
    operation& with_name(operation& posted) noexcept {
        return names_posted_.load(std::memory_order_relaxed) ? debug_mode::named(posted, typeid(F)) : posted;
    }

    ready_queue ready_;
    std::unique_ptr<debug_mode> debug_;
    root_list roots_;
    bool running_ = false;
    main_end main_end_{*this};
    std::atomic<bool> names_posted_{false};  // debug mode is on
    alignas(64) operation_stack posted_;     // written by other threads
};

}  // namespace loopbench::loop
