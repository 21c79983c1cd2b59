// Time: Asio's timer queue, with each timer and its operation in the sleeping frame.
#pragma once

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <coroutine>
#include <utility>

#include "asio_ref/tuned/completion.hpp"
#include "asio_ref/tuned/scheduler.hpp"
#include "loop/shared_state.hpp"

namespace loopbench::asio_ref::tuned {

using timer = boost::asio::basic_waitable_timer<
    std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>, scheduler::executor>;

class sleep_awaiter : public completion_awaiter {
public:
    sleep_awaiter(scheduler& owner, timer::time_point when)
        : completion_awaiter(owner), timer_(owner.get_executor(), when) {}

    void await_suspend(std::coroutine_handle<> waiter) {
        suspend(waiter);
        timer_.async_wait(completion_handler<sleep_awaiter>{this});
    }
    void await_resume() const noexcept {}

    void completed(const boost::system::error_code&) { go_on(); }
    operation_storage<96> storage;

private:
    timer timer_;
};

namespace detail {

/// A call and its timer in one recycled block; while it is pending, Asio's handler holds a reference.
template <class Function>
struct scheduled_call;

struct scheduled_call_base {
    scheduled_call_base(scheduler& loop, timer::time_point when) : waiting(loop.get_executor(), when) {}

    timer waiting;
    bool cancelled =
        false;  // a timer that has expired cannot be cancelled, but its handler may still be queued
};

}  // namespace detail

}  // namespace loopbench::asio_ref::tuned
