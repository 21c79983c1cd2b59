#pragma once

#include <boost/asio/post.hpp>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <span>

#include "asio_ref/tuned/completion.hpp"
#include "asio_ref/tuned/scheduler.hpp"
#include "loop/coro/task.hpp"

namespace loopbench::asio_ref::tuned {

class yield_awaiter : public completion_awaiter {
public:
    using completion_awaiter::completion_awaiter;

    void await_suspend(std::coroutine_handle<> waiter) {
        suspend(waiter);
        boost::asio::post(owner().get_executor(), completion_handler<yield_awaiter>{this});
    }
    void await_resume() const noexcept {}

    void completed() { go_on(); }
    operation_storage<48> storage;
};

class gather_awaiter final : loop::detail::root_owner {
public:
    explicit gather_awaiter(std::span<loop::task<void>> children) noexcept
        : children_(children), running_(children.size() + 1) {}
    gather_awaiter(const gather_awaiter&) = delete;
    gather_awaiter& operator=(const gather_awaiter&) = delete;

    bool await_ready() const noexcept { return false; }

    bool await_suspend(std::coroutine_handle<> waiter) {
        waiter_ = waiter;
        for (loop::task<void>& child : children_) child.become_root(*this).frame.resume();
        // `running_` starts at the number of children plus one, so that no child resumes the waiter inside
        // the `for` statement. The additional one is subtracted here.
        return --running_ != 0;
    }

    void await_resume() const {
        if (first_error_) std::rethrow_exception(first_error_);
    }

private:
    std::coroutine_handle<> root_ended(loop::detail::promise_base& child) noexcept override {
        if (child.exception && !first_error_) first_error_ = child.exception;
        return --running_ == 0 ? waiter_ : std::noop_coroutine();
    }

    std::span<loop::task<void>> children_;
    std::size_t running_;
    std::exception_ptr first_error_;
    std::coroutine_handle<> waiter_;
};

/// An event that is set once and awaited once, in either order. Use an event only in the loop's thread. The
/// event must outlive the wait, except while the loop is being destroyed, because frames are then destroyed
/// in any order and set() wakes no waiter.
class event {
public:
    explicit event(scheduler& owner) noexcept : owner_(owner) {}
    event(const event&) = delete;
    event& operator=(const event&) = delete;
    ~event() {
        if (waiting_ != nullptr) waiting_->event_ = nullptr;
    }

    void set() {
        set_ = true;
        if (waiting_ != nullptr && !owner_.closing()) waiting_->wake();
    }

    class awaiter : public completion_awaiter {
    public:
        awaiter(event& awaited, scheduler& owner) noexcept : completion_awaiter(owner), event_(&awaited) {}
        ~awaiter() {
            if (event_ != nullptr && event_->waiting_ == this) event_->waiting_ = nullptr;
        }

        bool await_ready() const noexcept { return event_->set_; }
        void await_suspend(std::coroutine_handle<> waiter) noexcept {
            suspend(waiter);
            event_->waiting_ = this;
        }
        void await_resume() const noexcept {}

        void wake() { boost::asio::post(owner().get_executor(), completion_handler<awaiter>{this}); }
        void completed() { go_on(); }
        operation_storage<48> storage;

    private:
        friend class event;
        event* event_;
    };

    awaiter wait() noexcept { return {*this, owner_}; }

private:
    scheduler& owner_;
    awaiter* waiting_ = nullptr;
    bool set_ = false;
};

}  // namespace loopbench::asio_ref::tuned
