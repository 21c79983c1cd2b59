// The part of a loop that is the same in every design: the ready queue, the tasks that nobody awaits, and the
// door for other threads. It knows nothing of time or I/O.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <limits>
#include <memory>
#include <source_location>
#include <span>
#include <utility>

#include "loop/callback.hpp"
#include "loop/debug_mode.hpp"
#include "loop/join.hpp"
#include "loop/operation.hpp"
#include "loop/resumption.hpp"
#include "loop/suspension.hpp"
#include "loop/task.hpp"

namespace loopbench::loop {

/// Every member is for the loop's thread alone, except post_from_any_thread().
class loop_core {
public:
    loop_core() = default;
    loop_core(const loop_core&) = delete;
    loop_core& operator=(const loop_core&) = delete;

    /// f() runs on the next turn, in the order of posting. What it throws leaves run().
    template <class F>
    void post(F&& function) {
        if (closing_) [[unlikely]]
            return;
        ready_.push(make_callback(std::forward<F>(function)));
    }

    /// Starts a task that nobody awaits; its frame is freed at its end, or with the loop. An exception other
    /// than task_cancelled leaves run(). `where` is its name in debug mode.
    template <class T>
    void spawn(task<T> detached, const std::source_location& where = std::source_location::current()) {
        adopt(detached.frame().promise(), detached.frame());
        note_start(detached.frame().promise(), where);
        ready_.push(detached.release().promise().root);
    }

    class yield_awaiter;
    /// Lets everything run that is ready now, then goes on.
    yield_awaiter yield() noexcept;

    /// Starts all `children` in order; completes when every one has ended. The tasks keep their values
    /// (task::result()) and must outlive the await. When children throw, the first exception is thrown in the
    /// end; `mode` says whether it also cancels the others, or is not thrown. Cancelling the await cancels
    /// the children.
    template <class T, std::size_t Extent>
    join_awaiter<T> gather(std::span<task<T>, Extent> children, join_mode mode = join_mode::all) noexcept {
        return join_awaiter<T>(ready_, children, mode);
    }

    /// Starts all `children` (at least one); the first to end cancels the others; completes when every one
    /// has ended, and gives the index of the first. What that one threw is thrown.
    template <class T, std::size_t Extent>
    race_awaiter<T> race(std::span<task<T>, Extent> children) noexcept {
        return race_awaiter<T>(ready_, children);
    }

    /// Debug mode: `warn` is called when the last future goes that names an exception which nobody has asked
    /// for, be it a promise's or a task's of create_task(). (What a spawned task throws leaves run().) A
    /// cancellation is none. `warn` must not throw. An empty function ends it.
    void warn_of_unretrieved_exceptions(debug_mode::unretrieved_warning warn) {
        debug().on_unretrieved = std::move(warn);
    }

    /// For futures.
    void exception_was_not_retrieved(const std::exception_ptr& exception,
                                     const std::source_location& made_at) const noexcept;

    /// For drivers, timer queues and awaiters: what is pushed here runs on a coming turn.
    operation_queue& ready() noexcept { return ready_; }

    /// Whether another thread has posted something that is not yet in the ready queue.
    bool has_posted() const noexcept { return posted_.load(std::memory_order_seq_cst) != nullptr; }

    /// How many operations in a row one callback may complete without going through the queue; without a
    /// limit a task whose socket is always ready would never let another one run.
    static constexpr std::size_t inline_completions_max = 16;

    /// What a completion counts as that moved so many bytes: one, or, of a large transfer, one for each 4
    /// KiB.
    static constexpr std::size_t completions_worth_of(std::size_t bytes) noexcept {
        return bytes > small_transfer_bytes ? 1 + bytes / 4096 : 1;
    }
    static constexpr std::size_t small_transfer_bytes = 16'384;

    /// So few bytes of a large transfer count as one callback more towards the next look at the kernel: a
    /// chunk of 64 KiB is as much as a design that looks after 64 callbacks lets pass.
    static constexpr std::size_t bytes_of_a_callback = 1024;

    /// For awaiters that could complete at once, having moved so many bytes: false when this callback has had
    /// its share, and must queue.
    bool may_complete_inline(std::size_t bytes) noexcept {
        const std::size_t weight = completions_worth_of(bytes);
        if (weight > 1) callbacks_worth_of_bytes_ += bytes / bytes_of_a_callback;
        if (inline_completions_left_ < weight) return false;
        inline_completions_left_ -= weight;
        return true;
    }

protected:
    ~loop_core();

    /// Frees everything that is queued or suspended. The loop calls it while its timers and driver still
    /// live.
    void close() noexcept;

    /// Runs what was ready when it was called, and nothing that becomes ready meanwhile; at the most so many
    /// that `count`, to which their number is added, reaches `count_max`. This is the only place where
    /// operations are completed: each is handed to `run_one`, which does just that. What is left, since one
    /// has thrown or there are too many, stays at the front of the queue.
    template <class RunOne>
    void run_ready(std::size_t& count, std::size_t count_max, RunOne run_one) {
        batch_guard guard{ready_, std::move(ready_), count, count_max - count};
        while (!guard.batch.empty() && guard.left != 0) {
            operation& op = guard.batch.pop();
            --guard.left;
            inline_completions_left_ = inline_completions_max;
            run_one(op);
            if (failure_) [[unlikely]]
                std::rethrow_exception(std::exchange(failure_, nullptr));
        }
    }

    /// The same without a bound, for a loop that looks at its timers and its I/O after every batch.
    template <class RunOne>
    void run_ready(RunOne run_one) {
        std::size_t count = 0;
        run_ready(count, std::numeric_limits<std::size_t>::max(), run_one);
    }

    /// Makes a suspended frame a root that the loop owns.
    void adopt(detail::promise_base& promise, std::coroutine_handle<> frame) noexcept;

    /// A main task whose run() was left by another's exception: it stays suspended where it is, or queued,
    /// and now the loop owns it.
    template <class T>
    void adopt_running(task<T>& main) {
        auto& promise = main.frame().promise();
        const task_context state = promise.root;
        adopt(promise, main.frame());
        static_cast<task_context&>(promise.root) = state;
        static_cast<void>(main.release());
    }

    /// For post_from_any_thread(), which has to wake the loop afterwards.
    void push_from_any_thread(operation& op) noexcept;
    void take_posted(operation_queue& into) noexcept;

    bool closing() const noexcept { return closing_; }

    /// Switches debug mode on, for good: who has been named once is known to the end.
    debug_mode& debug();
    /// Null while debug mode is off.
    debug_mode* debug_if_on() const noexcept { return debug_.get(); }
    void note_start(const detail::promise_base& task, const std::source_location& where) {
        if (debug_) [[unlikely]]
            debug_->started(task.root, where);
    }
    void note_end(const detail::promise_base& task) noexcept {
        if (debug_) [[unlikely]]
            debug_->ended(task.root);
    }

    /// What the bytes that were moved since this was asked for the last time count as. (Otherwise a sender
    /// that the kernel never refuses fills its socket with megabytes before the loop looks whether the
    /// receiver is ready, and they have left the caches by then.)
    std::size_t take_callbacks_worth_of_bytes() noexcept {
        return std::exchange(callbacks_worth_of_bytes_, 0);
    }

private:
    struct batch_guard {
        operation_queue& ready;
        operation_queue batch;
        std::size_t& count;
        std::size_t left;
        const std::size_t left_at_first = left;
        ~batch_guard() {
            count += left_at_first - left;
            ready.prepend(std::move(batch));
        }
    };

    static void on_detached_done(detail::promise_base& promise) noexcept;
    void unlink(detail::promise_base& promise) noexcept;
    static void discard(operation_queue& queue) noexcept;

    operation_queue ready_;
    std::unique_ptr<debug_mode> debug_;
    std::exception_ptr failure_;  // of a detached task, on its way out of run()
    bool closing_ = false;
    std::size_t inline_completions_left_ = 0;
    std::size_t callbacks_worth_of_bytes_ = 0;
    detail::promise_base* roots_ = nullptr;
    std::atomic<operation*> posted_{nullptr};  // newest first
};

class loop_core::yield_awaiter : resumption<> {
public:
    explicit yield_awaiter(loop_core& core) noexcept : core_(core) {}

    bool await_ready() const noexcept { return false; }

    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> waiter) noexcept {
        if (!suspend(waiter, nullptr)) return false;
        core_.ready_.push(*this);
        return true;
    }

    void await_resume() { throw_if_cancelled(); }

private:
    loop_core& core_;
};

inline loop_core::yield_awaiter loop_core::yield() noexcept {
    return yield_awaiter(*this);
}

}  // namespace loopbench::loop
