// Something that happens once, and whoever waits for it.
#pragma once

#include <coroutine>

#include "loop/loop_core.hpp"
#include "loop/resumption.hpp"
#include "loop/waiter_list.hpp"

namespace loopbench::loop {

/// Loop's thread only; it must outlive those that wait for it, except when the loop is destroyed. Any number of tasks
/// may wait; set() lets all of them go on, in the order in which they came, from the ready queue. Once set it stays set.
class event {
public:
    explicit event(loop_core& loop) noexcept : loop_(loop) {}
    event(const event&) = delete;
    event& operator=(const event&) = delete;

    bool is_set() const noexcept { return set_; }

    void set() noexcept {
        set_ = true;
        waiting_.release_to(loop_.ready());
    }

    class awaiter;
    /// Awaitable; completes at once when the event is set.
    awaiter wait() noexcept;

private:
    loop_core& loop_;
    waiter_list waiting_;
    bool set_ = false;
};

class event::awaiter : resumption<waiter_node> {
public:
    explicit awaiter(event& awaited) noexcept : event_(awaited) {}

    bool await_ready() const noexcept { return event_.set_; }

    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> coroutine) noexcept {
        if (!suspend(coroutine, &withdraw)) return false;
        event_.waiting_.push(*this);
        return true;
    }

    void await_resume() { throw_if_cancelled(); }

private:
    static void withdraw(suspension* place) {
        auto& self = *static_cast<awaiter*>(place);
        if (self.leave()) self.event_.loop_.ready().push(self);
    }

    event& event_;
};

inline event::awaiter event::wait() noexcept {
    return awaiter(*this);
}

}  // namespace loopbench::loop
