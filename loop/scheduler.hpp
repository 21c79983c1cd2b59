// The scheduler is the common part of all designs and of this project's runtimes on other libraries. It does
// not depend on time or I/O.
#pragma once

#include <atomic>
#include <memory>
#include <stdexcept>

#include "loop/coro/debug.hpp"
#include "loop/coro/join.hpp"
#include "loop/posting.hpp"

namespace loopbench::loop {

/// The tasks that no other task awaits. The list owns the tasks' frames, and the frames contain the links of
/// the list. The list keeps the exception of a failed task until take_failure() is called. Use the list only
/// in the loop's thread.
class root_list final : detail::root_owner {
public:
    root_list& operator=(root_list&&) = delete;
    ~root_list() { destroy_all(); }

    template <class T>
    detail::root_state& adopt(task<T> spawned, const std::source_location& where = {}) noexcept {
        spawned.become_root(*this, where);
        return adopt_running(std::move(spawned));
    }

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
            } catch (const task_cancelled&) {
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

/// The part of a loop that runs operations. Other threads may call only post_from_any_thread() and
/// push_from_any_thread().
class scheduler {
public:
    scheduler& operator=(scheduler&&) = delete;

    /// Runs the loop until `main` is done; returns the value of `main` or throws its exception. If another
    /// task or a callback throws, run() throws that exception instead, and `main` continues as a spawned
    /// task. Throws std::logic_error if the loop is already running. In debug mode, `where` names the task in
    /// warnings.
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

    /// Runs `function` on the next turn, in the order of posting. run() throws the function's exceptions.
    template <class F>
    void post(F&& function) {
        ready_.push(with_name<F>(make_callback(std::forward<F>(function))));
    }

    /// Runs `function` on a later turn, and wakes the loop if it sleeps. Any thread may call this function.
    /// `function` may end run() and destroy the loop before post_from_any_thread() returns: the destructor of
    /// the loop waits for the wake-up call. If several threads post at the same time, only the first thread
    /// wakes the loop. A sleeping loop runs no posted function until the first thread has made its wake-up
    /// call.
    template <class F>
    void post_from_any_thread(F&& function) {
        push_from_any_thread(with_name<F>(make_callback<operation>(std::forward<F>(function))));
    }
    /// Does the same as post_from_any_thread(), without allocating memory.
    void push_from_any_thread(operation& op) noexcept {
        if (!posted_.push(op)) return;
        wake();
        wakes_made_.fetch_add(1, std::memory_order_release);  // the last access of this thread
    }

    /// Starts a task that no other task awaits. The task's frame is freed when the task ends or the loop is
    /// destroyed. run() throws the task's exception, except task_cancelled. In debug mode, `where` names the
    /// task in warnings.
    template <class T>
    void spawn(task<T> detached, const std::source_location& where = std::source_location::current()) {
        ready_.push(roots_.adopt(std::move(detached), where));
    }

    /// Returns an awaitable that completes after everything that is ready now has run.
    yield_awaiter yield() noexcept { return yield_awaiter(ready_); }

    /// Starts all `children` in order, and completes when all of them have ended. The children keep their
    /// values (task::result()) and must outlive the await. They start immediately, except in a deeply nested
    /// gather or after many children. The await throws the first exception of a child, except with
    /// join_mode::collect. With join_mode::cancel_on_exception, the first exception also cancels the other
    /// children. Cancelling the gather cancels all children.
    template <class T, std::size_t Extent>
    join_awaiter<T, void> gather(std::span<task<T>, Extent> children,
                                 join_mode mode = join_mode::all) noexcept {
        return {ready_, children, mode};
    }

    /// Starts all `children`, which must not be empty. The first child that ends cancels the other children.
    /// After all children have ended, the await returns the index of the first one that ended, or throws its
    /// exception.
    template <class T, std::size_t Extent>
    join_awaiter<T, std::size_t> race(std::span<task<T>, Extent> children) noexcept {
        return {ready_, children, join_mode::cancel_on_first};
    }

    /// Makes the loop call `warn` after every callback or task step that took `limit` or longer. (asyncio's
    /// limit is 100 ms.) `warn` receives the duration and a name: the place that started the task, or the
    /// function's type. An empty `warn` turns the warnings off.
    void warn_of_slow_callbacks(nanoseconds limit, debug_mode::slow_warning warn);

    /// Makes the loop call `warn` if all futures with the same exception are destroyed and no code has
    /// retrieved the exception. The warnings apply to promises and to the tasks of create_task(), but not to
    /// cancellations. `warn` must not throw. An empty `warn` turns the warnings off.
    void warn_of_unretrieved_exceptions(debug_mode::unretrieved_warning warn);

    // Only drivers, timer queues, futures and awaiters use the following members.

    ready_queue& ready() noexcept { return ready_; }
    bool has_ready() const noexcept { return !ready_.empty(); }
    bool has_posted() const noexcept { return !posted_.empty(); }
    /// Makes the destructor wait for no wake-up call that a thread has begun until now. Called in the child
    /// of a fork, where the other threads of the parent do not exist.
    void forget_other_threads() noexcept {
        wakes_made_.store(wakes_expected_ + (has_posted() ? 1 : 0), std::memory_order_relaxed);
    }
    void exception_was_not_retrieved(const std::exception_ptr& exception,
                                     const std::source_location& made_at) const noexcept;

protected:
    struct end_of_run {
        void operator()(bool* running) const noexcept { *running = false; }
    };
    /// Marks the loop as running while the returned object exists. Throws std::logic_error inside a turn,
    /// because a nested turn would run the operations of the outer turn.
    [[nodiscard]] std::unique_ptr<bool, end_of_run> start_running() {
        if (std::exchange(running_, true))
            throw std::logic_error(
                "run() or turn() was called inside a turn of the same loop; await the task instead");
        return std::unique_ptr<bool, end_of_run>(&running_);
    }

    ~scheduler() = default;

    /// Runs turns until `done` is true, but at least one turn.
    virtual void take_turns(const bool& done) = 0;
    /// Reacts to the end of run()'s task. Called in the last step of the task, immediately after the `done`
    /// of take_turns() has become true.
    virtual void main_ended() noexcept {}
    /// Ends the wait of the current or the next turn. Any thread may call this function.
    virtual void wake() noexcept = 0;
    virtual time_point time_of_callbacks() noexcept { return std::chrono::steady_clock::now(); }

    /// Frees all queued operations and all suspended tasks. Then waits for the wake-up calls of other threads
    /// whose operations were taken. The loop's timers and driver must still exist.
    void close() noexcept;

    bool take_posted() noexcept {
        if (!posted_.take_all(ready_)) [[likely]]
            return false;
        ++wakes_expected_;  // exactly one of the pushes that were taken has found the stack empty
        return true;
    }
    root_list& roots() noexcept { return roots_; }

    /// Runs the operations that are ready now, until `units_max` units of the work budget are used. If an
    /// operation throws or the budget is used up, the remaining operations stay at the front of the queue.
    /// (Without inlining, the workloads yield and post/chain would be 10 % slower.)
    [[gnu::always_inline]] void run_ready(std::size_t units_max) {
        operation* next = ready_.release();
        operation* const last = ready_.back();
        try {
            while (next != nullptr && ready_.budget.used() < units_max) {
                operation& op = *std::exchange(next, next->next);
                if (units_max == work_budget::without_limit) ready_.budget.refill();
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

    /// Runs ready operations until `callbacks_max` operations have run or the work budget is used up. Takes
    /// the operations from the queue one by one, so that this function can be called inside a callback.
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

    debug_mode& debug();
    void run_timed(operation& op);
    template <class F>
    operation& with_name(operation& posted) noexcept {
#if defined(__cpp_rtti)
        if (names_posted_.load(std::memory_order_relaxed)) return debug_mode::named(posted, typeid(F));
#endif
        return posted;
    }

    ready_queue ready_;
    std::unique_ptr<debug_mode> debug_;
    root_list roots_;
    bool running_ = false;
    main_end main_end_{*this};
    std::atomic<bool> names_posted_{false};
    std::size_t wakes_expected_ = 0;
    alignas(64) operation_stack posted_;  // other threads write to it, so it has its own cache line
    alignas(64) std::atomic<std::size_t> wakes_made_{0};
};

}  // namespace loopbench::loop
