#pragma once

#include "loop/coro/woken_awaiter.hpp"
#include "loop/scheduler.hpp"

namespace loopbench::loop {

/// A waiting task in a waiter_list. The list is a circle of nodes, and a node in no list is a circle of its
/// own. Therefore a node can leave its list without a pointer to the list.
class waiter_node : public operation {
public:
    waiter_node& operator=(waiter_node&&) = delete;

    bool unlink() noexcept {
        previous_->following_ = following_;
        following_->previous_ = std::exchange(previous_, this);
        return std::exchange(following_, this) != this;
    }

protected:
    ~waiter_node() { unlink(); }

private:
    friend class waiter_list;
    waiter_node* previous_ = this;
    waiter_node* following_ = this;
};

class waiter_list : waiter_node {
public:
    bool empty() const noexcept { return following_ == this; }

    void push(waiter_node& w) noexcept {
        w.previous_ = std::exchange(previous_, &w);
        w.following_ = this;
        w.previous_->following_ = &w;
    }

    waiter_node& pop() noexcept {
        waiter_node& w = *following_;
        w.unlink();
        return w;
    }
};

/// An event that is set once and stays set. set() queues the waiting tasks in the order in which they began
/// to wait. Use an event only in the loop's thread. The event must outlive the waiting tasks, except while
/// the loop is being destroyed.
class event {
public:
    /// Creates an event. `ends_a_task` is true if the event marks the end of a task; on loop-round-robin,
    /// waiting tasks poll for such an event (woken_awaiter.hpp).
    explicit event(scheduler& loop, bool ends_a_task = false) noexcept
        : ready_(loop.ready()), ends_a_task_(ends_a_task) {}
    event& operator=(event&&) = delete;

    bool is_set() const noexcept { return set_; }

    void set() noexcept {
        set_ = true;
        while (!waiting_.empty()) ready_.push(waiting_.pop());
    }

    class wait_awaiter : woken_awaiter<waiter_node> {
    public:
        explicit wait_awaiter(event& awaited) noexcept
            : woken_awaiter<waiter_node>(awaited.ready_), event_(awaited) {}

        bool await_ready() const noexcept { return event_.set_; }

        template <class Promise>
        bool await_suspend(std::coroutine_handle<Promise> coroutine) noexcept {
            return suspend_until(coroutine, event_.ends_a_task_ ? &is_over : nullptr, &cancel,
                                 [this] { event_.waiting_.push(*this); });
        }

        void await_resume() { throw_if_cancelled(); }

    private:
        static void cancel(suspension* place) noexcept {
            auto& self = *static_cast<wait_awaiter*>(place);
            if (self.unlink()) self.ready().push(self);
        }

        static bool is_over(woken_awaiter<waiter_node>& asked) {
            auto& self = static_cast<wait_awaiter&>(asked);
            return self.event_.set_ || self.cancel_requested();
        }

        event& event_;
    };

    wait_awaiter wait() noexcept { return wait_awaiter(*this); }

private:
    ready_queue& ready_;
    waiter_list waiting_;
    const bool ends_a_task_;
    bool set_ = false;
};

}  // namespace loopbench::loop
