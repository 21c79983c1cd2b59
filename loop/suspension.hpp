// Where a coroutine waits: the link between a suspended frame, its task, and whoever may cancel it.
#pragma once

#include <coroutine>
#include <exception>

namespace loopbench::loop {

/// Thrown by the await at which a cancelled task was suspended, or by its next one. Let it pass: a task that
/// ends with it counts as cancelled, not as failed.
class task_cancelled : public std::exception {
public:
    const char* what() const noexcept override { return "the task was cancelled"; }
};

class suspension;

/// What all coroutines of one task share: a spawned or gathered task and everything that it awaits.
struct task_context {
    suspension*
        waiting_on;  // where the innermost coroutine is suspended; null while the task runs or is queued
    bool cancel_requested;
};

/// A place where a coroutine is suspended: the base of every awaiter that reaches the loop.
///
/// An awaiter derives from this and from `operation`. await_suspend() calls suspend(); the operation's
/// completion calls resume(); await_resume() calls throw_if_cancelled() when the wait came to nothing.
class suspension {
public:
    /// How to take the wait back when the task is cancelled: it must see to it that the operation is queued
    /// to be run, now or soon. Null when it is queued already.
    using withdraw_fn = void (*)(suspension*);

    suspension() = default;
    suspension(const suspension&) = delete;
    suspension& operator=(const suspension&) = delete;

protected:
    ~suspension() = default;

    /// False when the task was cancelled before it came here: then it must not suspend.
    template <class Promise>
    bool suspend(std::coroutine_handle<Promise> waiter, withdraw_fn withdraw) noexcept {
        context_ = waiter.promise().context;
        if (context_->cancel_requested) [[unlikely]]
            return false;
        waiter_ = waiter;
        withdraw_ = withdraw;
        context_->waiting_on = this;
        return true;
    }

    /// Takes suspend() back: the coroutine goes on at once.
    void stay_running() noexcept { context_->waiting_on = nullptr; }

    /// Goes on with the coroutine. The awaiter may be gone when this returns.
    void resume() {
        context_->waiting_on = nullptr;
        waiter_.resume();
    }

    std::coroutine_handle<> waiter() const noexcept { return waiter_; }
    const task_context* context() const noexcept { return context_; }

    bool cancel_requested() const noexcept { return context_ != nullptr && context_->cancel_requested; }

    void throw_if_cancelled() {
        if (!cancel_requested()) [[likely]]
            return;
        context_->cancel_requested = false;  // delivered
        throw task_cancelled();
    }

private:
    friend void request_cancel(task_context& task) noexcept;

    std::coroutine_handle<> waiter_;
    task_context* context_ = nullptr;
    withdraw_fn withdraw_;
};

/// Asks a task to end: the await at which it is suspended, or its next one, throws task_cancelled. Asking
/// twice before it is delivered is asking once. Loop's thread only.
inline void request_cancel(task_context& task) noexcept {
    task.cancel_requested = true;
    suspension* const place = task.waiting_on;
    if (place == nullptr || place->withdraw_ == nullptr) return;
    const auto withdraw = place->withdraw_;
    place->withdraw_ = nullptr;
    withdraw(place);
}

}  // namespace loopbench::loop
