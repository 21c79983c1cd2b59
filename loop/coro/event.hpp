// Something that happens once, and whoever waits for it, or for any other one thing.
#pragma once

#include "loop/scheduler.hpp"

namespace loopbench::loop {

/// Who waits: linked in a circle with the others of a list, and left alone when it is in none. So it leaves,
/// at the latest when it is destroyed, without knowing the list.
class waiter_node : public operation {
public:
    waiter_node& operator=(waiter_node&&) = delete;

    /// True when it was in a list.
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

/// In the order in which they came. In the circle it stands between the last and the first.
class waiter_list : waiter_node {
public:
    bool empty() const noexcept { return following_ == this; }

    void push(waiter_node& w) noexcept {
        w.previous_ = std::exchange(previous_, &w);
        w.following_ = this;
        w.previous_->following_ = &w;
    }

    /// The list must not be empty.
    waiter_node& pop() noexcept {
        waiter_node& w = *following_;
        w.unlink();
        return w;
    }
};

/// Loop's thread only; it must outlive those that wait for it, except when the loop is destroyed. Any number
/// of tasks may wait; set(), once and for all, lets them go on from the ready queue in the order of coming.
class event {
public:
    /// `polls`: who waits asks on every turn whether it is set, instead of being woken.
    explicit event(scheduler& loop, bool polls = false) noexcept : ready_(loop.ready()), polls_(polls) {}
    event& operator=(event&&) = delete;

    bool is_set() const noexcept { return set_; }

    void set() noexcept {
        set_ = true;
        while (!waiting_.empty()) ready_.push(waiting_.pop());
    }

    class wait_awaiter : polled_awaiter<waiter_node> {
    public:
        explicit wait_awaiter(event& awaited) noexcept
            : polled_awaiter<waiter_node>(awaited.ready_), event_(awaited) {}

        bool await_ready() const noexcept { return event_.set_; }

        template <class Promise>
        bool await_suspend(std::coroutine_handle<Promise> coroutine) noexcept {
            if (!suspend(coroutine, event_.polls_ ? nullptr : &cancel)) return false;
            if (event_.polls_) {
                poll(&is_over);
            } else {
                event_.waiting_.push(*this);
            }
            return true;
        }

        void await_resume() { throw_if_cancelled(); }

    private:
        static void cancel(suspension* place) noexcept {
            auto& self = *static_cast<wait_awaiter*>(place);
            if (self.unlink()) self.ready().push(self);
        }

        static bool is_over(polled_awaiter<waiter_node>& asked) {
            auto& self = static_cast<wait_awaiter&>(asked);
            return self.event_.set_ || self.cancel_requested();
        }

        event& event_;
    };

    /// Awaitable; completes at once when the event is set.
    wait_awaiter wait() noexcept { return wait_awaiter(*this); }

private:
    ready_queue& ready_;
    waiter_list waiting_;
    const bool polls_;
    bool set_ = false;
};

}  // namespace loopbench::loop
