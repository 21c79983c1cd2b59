#pragma once

#include <coroutine>

#include "asio_ref/tuned/handler_memory.hpp"
#include "asio_ref/tuned/scheduler.hpp"

namespace loopbench::asio_ref::tuned {

/// The base of the awaiters of Asio's operations. A derived awaiter passes a completion_handler to its
/// operation; the handler calls the awaiter's member completed(), which stores the results and calls go_on().
class completion_awaiter {
public:
    explicit completion_awaiter(scheduler& owner) noexcept : owner_(owner) {}
    completion_awaiter(const completion_awaiter&) = delete;
    completion_awaiter& operator=(const completion_awaiter&) = delete;

    bool await_ready() const noexcept { return false; }

protected:
    ~completion_awaiter() = default;

    void suspend(std::coroutine_handle<> waiter) noexcept { waiter_ = waiter; }

    /// Resumes the coroutine while Asio calls the handler. Afterwards, the awaiter might no longer exist.
    void go_on() { owner_.step(waiter_); }

    scheduler& owner() const noexcept { return owner_; }

private:
    scheduler& owner_;
    std::coroutine_handle<> waiter_;
};

}  // namespace loopbench::asio_ref::tuned
