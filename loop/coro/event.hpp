// Something that happens once, and whoever waits for it, or for any other one thing.
#pragma once

#include <coroutine>
#include <utility>

#include "loop/scheduler.hpp"

namespace loopbench::loop {

class waiter_list;

/// Unlinks itself when it is destroyed.
class waiter_node : public operation {
public:
    waiter_node() = default;
    waiter_node(const waiter_node&) = delete;
    waiter_node& operator=(const waiter_node&) = delete;

    /// True when it was in a list.
    bool unlink() noexcept;

protected:
    ~waiter_node() { unlink(); }

private:
    friend class waiter_list;
    waiter_list* list_ = nullptr;
    waiter_node* previous_ = nullptr;  // meaningful, like the next, only in a list
    waiter_node* following_ = nullptr;
};

/// In the order in which they came.
class waiter_list {
public:
    waiter_list() = default;
    waiter_list(const waiter_list&) = delete;
    waiter_list& operator=(const waiter_list&) = delete;
    ~waiter_list() {
        while (!empty()) pop();
    }

    bool empty() const noexcept { return first_ == nullptr; }

    void push(waiter_node& w) noexcept {
        w.list_ = this;
        w.previous_ = last_;
        w.following_ = nullptr;
        (last_ == nullptr ? first_ : last_->following_) = &w;
        last_ = &w;
    }

    /// The list must not be empty.
    waiter_node& pop() noexcept {
        waiter_node& w = *first_;
        w.unlink();
        return w;
    }

    /// All of them go on, from the ready queue.
    void wake_all(ready_queue& ready) noexcept {
        while (!empty()) ready.push(pop());
    }

private:
    friend class waiter_node;
    waiter_node* first_ = nullptr;
    waiter_node* last_ = nullptr;
};

inline bool waiter_node::unlink() noexcept {
    waiter_list* const list = std::exchange(list_, nullptr);
    if (list == nullptr) return false;
    (previous_ == nullptr ? list->first_ : previous_->following_) = following_;
    (following_ == nullptr ? list->last_ : following_->previous_) = previous_;
    return true;
}

/// Loop's thread only; it must outlive those that wait for it, except when the loop is destroyed. Any number
/// of tasks may wait; set() lets all of them go on, in the order in which they came, from the ready queue.
/// Once set it stays set.
class event {
public:
    explicit event(scheduler& loop) noexcept : loop_(loop) {}
    event(const event&) = delete;
    event& operator=(const event&) = delete;

    bool is_set() const noexcept { return set_; }

    void set() noexcept {
        set_ = true;
        waiting_.wake_all(loop_.ready());
    }

    class wait_awaiter;
    /// Awaitable; completes at once when the event is set.
    wait_awaiter wait() noexcept;

private:
    scheduler& loop_;
    waiter_list waiting_;
    bool set_ = false;
};

class event::wait_awaiter : awaiter<waiter_node> {
public:
    explicit wait_awaiter(event& awaited) noexcept : event_(awaited) {}

    bool await_ready() const noexcept { return event_.set_; }

    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> coroutine) noexcept {
        if (!suspend(coroutine, &cancel)) return false;
        event_.waiting_.push(*this);
        return true;
    }

    void await_resume() { throw_if_cancelled(); }

private:
    static void cancel(suspension* place) noexcept {
        auto& self = *static_cast<wait_awaiter*>(place);
        if (self.unlink()) self.event_.loop_.ready().push(self);
    }

    event& event_;
};

inline event::wait_awaiter event::wait() noexcept {
    return wait_awaiter(*this);
}

}  // namespace loopbench::loop
