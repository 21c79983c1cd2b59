// The part of a loop that is the same in every design: the ready queue, the tasks that nobody awaits, and the
// door for other threads. It knows nothing of time or I/O.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <span>
#include <utility>

#include "loop/callback.hpp"
#include "loop/operation.hpp"
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
    /// than task_cancelled leaves run().
    template <class T>
    void spawn(task<T> detached) {
        adopt(detached.frame().promise(), detached.frame());
        ready_.push(detached.release().promise().root);
    }

    class yield_awaiter;
    /// Lets everything run that is ready now, then goes on.
    yield_awaiter yield() noexcept;

    template <class T>
    class gather_awaiter;
    /// Starts all `children` in order; completes when every one has ended, then throws the first exception if
    /// there was one. The tasks keep their values; they must outlive the await. Cancelling it cancels the
    /// children.
    template <class T>
    gather_awaiter<T> gather(std::span<task<T>> children) noexcept;

    /// For drivers, timer queues and awaiters: what is pushed here runs on a coming turn.
    operation_queue& ready() noexcept { return ready_; }

    /// How many operations in a row one callback may complete without going through the queue; without a
    /// limit a task whose socket is always ready would never let another one run.
    static constexpr unsigned inline_completions_max = 16;

    /// For awaiters that could complete at once: false when this callback has had its share, and must queue.
    bool may_complete_inline() noexcept {
        if (inline_completions_left_ == 0) return false;
        --inline_completions_left_;
        return true;
    }

protected:
    ~loop_core();

    /// Frees everything that is queued or suspended. The loop calls it while its timers and driver still
    /// live.
    void close() noexcept;

    /// Runs what was ready when it was called, and nothing that becomes ready meanwhile; gives their number.
    /// This is the only place where operations are completed. When one throws, the rest stays at the front of
    /// the queue.
    std::size_t run_ready();

    /// Makes a suspended frame a root that the loop owns.
    void adopt(detail::promise_base& promise, std::coroutine_handle<> frame) noexcept;

    /// For post_from_any_thread(): true when the queue was empty before, so that the loop may be asleep.
    void push_from_any_thread(operation& op) noexcept;
    bool has_posted() const noexcept { return posted_.load(std::memory_order_seq_cst) != nullptr; }
    void take_posted() noexcept;

    bool closing() const noexcept { return closing_; }

private:
    static void on_detached_done(detail::promise_base& promise) noexcept;
    void unlink(detail::promise_base& promise) noexcept;

    operation_queue ready_;
    std::exception_ptr failure_;  // of a detached task, on its way out of run()
    bool closing_ = false;
    unsigned inline_completions_left_ = 0;
    detail::promise_base* roots_ = nullptr;
    std::atomic<operation*> posted_{nullptr};  // newest first
};

class loop_core::yield_awaiter : operation, suspension {
public:
    explicit yield_awaiter(loop_core& core) noexcept : core_(core) {}

    bool await_ready() const noexcept { return false; }

    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> waiter) noexcept {
        if (!suspend(waiter, nullptr)) return false;
        complete = [](operation* op, completion how) {
            if (how == completion::run) static_cast<yield_awaiter*>(op)->resume();
        };
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

template <class T>
class loop_core::gather_awaiter : operation, suspension {
public:
    gather_awaiter(loop_core& core, std::span<task<T>> children) noexcept
        : core_(core), children_(children), running_(children.size()) {}

    bool await_ready() const noexcept { return false; }

    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> waiter) {
        if (!suspend(waiter, &cancel_children)) return false;
        complete = [](operation* op, completion how) {
            if (how == completion::run) static_cast<gather_awaiter*>(op)->resume();
        };
        for (task<T>& child : children_) {
            detail::promise_base& promise = child.frame().promise();
            promise.become_root(child.frame(), &on_child_done, this);
            core_.ready_.push(promise.root);
        }
        if (running_ == 0) core_.ready_.push(*this);
        return true;
    }

    void await_resume() {
        throw_if_cancelled();
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    static void on_child_done(detail::promise_base& child) noexcept {
        auto& self = *static_cast<gather_awaiter*>(child.root.owner);
        if (child.exception && !self.failure_) [[unlikely]]
            self.failure_ = child.exception;
        if (--self.running_ == 0) self.core_.ready_.push(self);
    }

    static void cancel_children(suspension* place) {
        auto& self = *static_cast<gather_awaiter*>(place);
        for (task<T>& child : self.children_) {
            if (!child.done()) request_cancel(child.frame().promise().root);
        }
    }

    loop_core& core_;
    std::span<task<T>> children_;
    std::size_t running_;
    std::exception_ptr failure_;
};

template <class T>
loop_core::gather_awaiter<T> loop_core::gather(std::span<task<T>> children) noexcept {
    return gather_awaiter<T>(*this, children);
}

}  // namespace loopbench::loop
