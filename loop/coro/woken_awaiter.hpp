// How a coroutine waits for something that happens in the loop's own thread: a time, an event, the end of
// tasks. All awaiters for these are written as if the loop woke them.
//
// One design wakes nothing: in tutorial 001 (loop-round-robin), a task that waits for a time or for other
// tasks stays in the ready queue, and checks on every turn if its wait is over. Only this file knows how; the
// design sets ready_queue::tasks_poll.
#pragma once

#include "loop/operation.hpp"

namespace loopbench::loop {

/// An awaiter that is pushed to the ready queue, or resumed with wake(), when its wait is over.
template <class Operation = operation>
class woken_awaiter : public awaiter<Operation> {
public:
    /// For debug mode: does the same as awaiter::suspension_of().
    static const suspension* suspension_of(const operation& op) noexcept {
        return op.complete == &poll ? static_cast<const woken_awaiter*>(&op)
                                    : awaiter<Operation>::suspension_of(op);
    }

protected:
    using is_over_fn = bool (*)(woken_awaiter&);

    explicit woken_awaiter(ready_queue& ready) noexcept : ready_(ready) {}
    /// Takes an awaiter that still polls out of the queue, if its frame is destroyed by another loop than its
    /// own.
    ~woken_awaiter() {
        if (this->complete == &poll) [[unlikely]]
            ready_.remove(*this);
    }

    ready_queue& ready() noexcept { return ready_; }

    /// Suspends the coroutine and calls start(), which arranges that the awaiter is woken. Where tasks poll,
    /// does not call start(): the wait ends when is_over() returns true, as it must after a cancellation. If
    /// `is_over` is null, the awaiter is woken even there. Returns false if the task was cancelled before.
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

    /// Does the same for a coroutine that is already suspended. Its cancel function also works where tasks
    /// poll.
    template <class Start>
    void wait_until(is_over_fn is_over, Start start) {
        ready_.tasks_poll ? start_polling(is_over) : start();
    }

    /// Returns the coroutine, to be resumed now. Where tasks poll, returns a no-op coroutine.
    std::coroutine_handle<> wake() noexcept {
        if (ready_.tasks_poll) return std::noop_coroutine();
        this->stay_running();
        return this->coroutine();
    }

    /// Returns true if the awaiter may start tasks on its stack. Where tasks poll, they start from the queue.
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
