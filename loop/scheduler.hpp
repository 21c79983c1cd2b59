// The part of a loop that is the same in every design, and under the libraries that the suite compares with:
// the ready queue, tasks that nobody awaits, and what other threads post. It knows nothing of time or I/O.
#pragma once

#include <atomic>
#include <limits>
#include <memory>
#include <stdexcept>

#include "loop/coro/debug.hpp"
#include "loop/coro/join.hpp"
#include "loop/posting.hpp"

namespace loopbench::loop {

/// Tasks that nobody awaits: owns their frames, with the links in them, and keeps what they throw. Loop's
/// thread only.
class root_list final : detail::root_owner {
public:
    root_list& operator=(root_list&&) = delete;
    ~root_list() { destroy_all(); }

    /// Makes a frame a root that this list owns and frees at its end. `where` is its name in debug mode.
    template <class T>
    detail::root_state& adopt(task<T> spawned, const std::source_location& where = {}) noexcept {
        spawned.become_root(*this, where);
        return adopt_running(std::move(spawned));
    }

    /// The main task of a run() that another task's exception has ended: from now on this list owns it.
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

    /// An exception that has ended a root and that nobody has taken yet. A cancellation is no failure.
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
            } catch (const task_cancelled&) {  // it ended as it was asked to
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

/// Every member is for the loop's thread alone, except post_from_any_thread().
class scheduler {
public:
    /// `polls`: who waits for a time or for another task stays in the queue, and asks on every turn whether
    /// the wait is over (document 001).
    explicit scheduler(bool polls = false) noexcept : polls_(polls) {}
    scheduler& operator=(scheduler&&) = delete;

    /// Runs until `main` is done; gives its value or throws its exception. When another task or callback
    /// throws, that leaves run() instead, and `main` goes on as a spawned task. Throws std::logic_error
    /// inside run(). `where` is its name in debug mode.
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

    /// f() runs on the next turn, in the order of posting. What it throws leaves run().
    template <class F>
    void post(F&& function) {
        ready_.push(with_name<F>(make_callback(std::forward<F>(function))));
    }

    /// f() runs on a later turn of the loop, which is woken when it sleeps. Any thread. The loop must outlive
    /// the call of this function, and not only f: f may have run, and have ended run(), before it returns.
    /// Of several threads that post at once, only the first wakes the loop: a loop that sleeps runs none of
    /// their functions until that thread has come so far.
    template <class F>
    void post_from_any_thread(F&& function) {
        push_from_any_thread(with_name<F>(make_callback<operation>(std::forward<F>(function))));
    }
    /// The same for an operation that is there already, which takes no memory.
    void push_from_any_thread(operation& op) noexcept {
        // Who finds something there leaves it to the one who put it there: both are taken at once.
        if (posted_.push(op)) wake();
    }

    /// Starts a task that nobody awaits; its frame is freed at its end, or with the loop. An exception other
    /// than task_cancelled leaves run(). `where` is its name in debug mode.
    template <class T>
    void spawn(task<T> detached, const std::source_location& where = std::source_location::current()) {
        ready_.push(roots_.adopt(std::move(detached), where));
    }

    /// Lets everything run that is ready now, then goes on.
    yield_awaiter yield() noexcept { return yield_awaiter(ready_); }

    /// Starts all `children` in order, at once unless it is deeply nested; completes when every one has
    /// ended. The tasks keep their values (task::result()) and must outlive the await. When children throw,
    /// the first exception is thrown in the end; `mode` says whether it also cancels the others, or is not
    /// thrown. Cancelling it cancels them all.
    template <class T, std::size_t Extent>
    join_awaiter<T, void> gather(std::span<task<T>, Extent> children,
                                 join_mode mode = join_mode::all) noexcept {
        return {ready_, polls_, children, mode};
    }

    /// Starts all `children` (at least one); the first to end cancels the others; completes when every one
    /// has ended, and gives the index of the first. What that one threw is thrown.
    template <class T, std::size_t Extent>
    join_awaiter<T, std::size_t> race(std::span<task<T>, Extent> children) noexcept {
        return {ready_, polls_, children, join_mode::cancel_on_first};
    }

    /// Debug mode: `warn` is called, between callbacks, with the duration of every callback or task step that
    /// took `limit` or longer (asyncio's is 100 ms), and with who that was: a task by the place that spawned
    /// it, a function by its type. An empty function ends it.
    void warn_of_slow_callbacks(nanoseconds limit, debug_mode::slow_warning warn);

    /// Debug mode: `warn` is called when the last future goes that names an exception which nobody has asked
    /// for, be it a promise's or a task's of create_task(). (What a spawned task throws leaves run().) A
    /// cancellation is none. `warn` must not throw. An empty function ends it.
    void warn_of_unretrieved_exceptions(debug_mode::unretrieved_warning warn);

    // For drivers, timer queues, futures and awaiters.

    /// What is pushed here runs on a coming turn.
    ready_queue& ready() noexcept { return ready_; }
    bool has_ready() const noexcept { return !ready_.empty(); }
    /// Whether another thread has posted something that is not yet in the ready queue.
    bool has_posted() const noexcept { return !posted_.empty(); }
    /// Whether waits are over when somebody asks, and not when somebody wakes.
    bool polls() const noexcept { return polls_; }
    void exception_was_not_retrieved(const std::exception_ptr& exception,
                                     const std::source_location& made_at) const noexcept;

protected:
    struct end_of_run {
        void operator()(bool* running) const noexcept { *running = false; }
    };
    /// For as long as what it gives lives, the loop runs. Throws std::logic_error inside of a turn: what that
    /// one is busy with would be run by this one.
    [[nodiscard]] std::unique_ptr<bool, end_of_run> start_running() {
        if (std::exchange(running_, true))
            throw std::logic_error(
                "run() or turn() was called inside a turn of the same loop; await the task instead");
        return std::unique_ptr<bool, end_of_run>(&running_);
    }

    ~scheduler() = default;

    /// One turn, and more until `done`.
    virtual void take_turns(const bool& done) = 0;
    /// `done` is true from now on; called in the main task's last step.
    virtual void main_ended() noexcept {}
    /// Ends the wait of a turn, the present one or the next. Any thread.
    virtual void wake() noexcept = 0;
    /// What time it is, for debug mode.
    virtual time_point time_of_callbacks() noexcept { return std::chrono::steady_clock::now(); }

    /// Frees everything that is queued or suspended, while the loop's timers and driver still live.
    void close() noexcept;

    /// False when nothing was posted.
    bool take_posted() noexcept { return posted_.take_all(ready_); }
    root_list& roots() noexcept { return roots_; }

    static constexpr std::size_t without_limit = std::numeric_limits<std::size_t>::max();

    /// Runs what was ready when it was called, and nothing that becomes ready meanwhile, until `units_max` of
    /// the work budget are used. This is the only place where operations are completed. What is left, since
    /// one has thrown or the budget is used up, stays at the front of the queue. (Called out of
    /// line it would cost yield and post/chain a tenth.)
    [[gnu::always_inline]] void run_ready(std::size_t units_max) {
        operation* next = ready_.release();
        operation* const last = ready_.back();
        try {
            while (next != nullptr && ready_.budget.used() < units_max) {
                operation& op = *std::exchange(next, next->next);
                if (units_max == without_limit) ready_.budget.refill();  // then each callback has its own
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

    /// Runs what is ready, in its order and one by one, so that it may be called inside of a callback: at
    /// most so many, and until the work budget is used up.
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

    /// Discards what is queued or was posted. False when there was nothing.
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

    // Debug mode, which stays once it is there.
    debug_mode& debug();
    void run_timed(operation& op);
    template <class F>
    operation& with_name(operation& posted) noexcept {
        return names_posted_.load(std::memory_order_relaxed) ? debug_mode::named(posted, typeid(F)) : posted;
    }

    ready_queue ready_;
    std::unique_ptr<debug_mode> debug_;
    root_list roots_;
    const bool polls_;
    bool running_ = false;
    main_end main_end_{*this};
    std::atomic<bool> names_posted_{false};  // debug mode is on
    alignas(64) operation_stack posted_;     // written by other threads
};

}  // namespace loopbench::loop
