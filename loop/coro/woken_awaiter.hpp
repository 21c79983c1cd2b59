// The class in this file is the base of the awaiters that wait for a time, an event or other tasks. On
// loop-round-robin (tutorial 001), waiting tasks poll: a waiting task stays in the ready queue, and checks on
// every turn whether its wait is over. The flag ready_queue::tasks_poll is true on this loop; only the code
// in this file reads the flag.
#pragma once

#include "loop/operation.hpp"

namespace loopbench::loop {

template <class Operation = operation>
class woken_awaiter : public awaiter<Operation> {
public:
    static const suspension* suspension_of(const operation& op) noexcept {
        return op.complete == &poll ? static_cast<const woken_awaiter*>(&op)
                                    : awaiter<Operation>::suspension_of(op);
    }

protected:
    using is_over_fn = bool (*)(woken_awaiter&);

    explicit woken_awaiter(ready_queue& ready) noexcept : ready_(ready) {}
    /// Removes the awaiter from the ready queue if it still polls. This case occurs only if another loop
    /// destroys the awaiter's frame.
    ~woken_awaiter() {
        if (this->complete == &poll) [[unlikely]]
            ready_.remove(*this);
    }

    ready_queue& ready() noexcept { return ready_; }

    /// Suspends the coroutine and calls start(), which arranges the wake-up. In loops whose tasks poll, does
    /// not call start() if `is_over` is not null; then the wait ends when is_over() returns true. After a
    /// cancellation, is_over() must return true. Returns false, without suspending, if the task is already
    /// cancelled.
    template <class Promise, class Start>
    bool suspend_until(std::coroutine_handle<Promise> coroutine, is_over_fn is_over,
                       suspension::cancel_fn cancel, Start start) {
        const bool polls = is_over != nullptr && ready_.tasks_poll;
        if (!this->suspend(coroutine, polls ? nullptr : cancel)) return false;
        try {
            polls ? start_polling(is_over) : start();
        } catch (...) {
            this->stay_running();
            throw;
        }
        return true;
    }

    /// Does the same as suspend_until(), for a coroutine that is already suspended. The cancel function that
    /// was passed to suspend() must also work in loops whose tasks poll.
    template <class Start>
    void wait_until(is_over_fn is_over, Start start) {
        ready_.tasks_poll ? start_polling(is_over) : start();
    }

    /// Ends the wait and returns the coroutine, which the caller must resume. In loops whose tasks poll,
    /// returns a no-op coroutine instead, because the wait ends at the task's next poll.
    std::coroutine_handle<> wake() noexcept {
        if (ready_.tasks_poll) return std::noop_coroutine();
        this->stay_running();
        return this->coroutine();
    }

    /// Returns false in loops whose tasks poll their operations on every turn. There, the awaiter must start
    /// tasks from the ready queue, not on its own stack.
    bool may_start_tasks() const noexcept { return !ready_.tasks_poll; }

private:
    void start_polling(is_over_fn is_over) noexcept {
        is_over_ = is_over;
        this->complete = &poll;
        ready_.push(*this);
    }

    static void poll(operation* op, completion how) {
        if (how != completion::run) return;
        auto& self = *static_cast<woken_awaiter*>(op);
        if (!self.is_over_(self)) return self.ready_.push(self);
        self.complete = nullptr;
        self.resume();
    }

    ready_queue& ready_;
    is_over_fn is_over_;
};

}  // namespace loopbench::loop
