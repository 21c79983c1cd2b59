#pragma once

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <coroutine>
#include <utility>

#include "asio_ref/tuned/completion.hpp"
#include "asio_ref/tuned/handler_memory.hpp"
#include "asio_ref/tuned/scheduler.hpp"
#include "loop/coro/frame_pool.hpp"

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

// This runtime does not use loop/calls.hpp for scheduled calls, because loop/calls.hpp type-erases the
// function; with it, the workload timer/churn would take 10 % longer.
namespace detail {

struct scheduled_call : loop::recycled {
    scheduled_call(scheduler& owner, timer::time_point when) : waiting(owner.get_executor(), when) {}

    timer waiting;
    // The flag is needed because cancelling a timer after its expiry has no effect, although its handler
    // might still be queued.
    bool cancelled = false;
    unsigned references = 1;
};

template <class Function>
struct call_handler {
    using allocator_type = pool_allocator<>;
    allocator_type get_allocator() const noexcept { return {}; }

    void operator()(const boost::system::error_code& error) {
        if (error || call->cancelled) return;
        function();
        owner->after_step();
    }

    scheduler* owner;
    loop::shared_state<scheduled_call> call;
    Function function;
};

}  // namespace detail

/// A handle to a scheduled call. Dropping a handle does not cancel the call. Use a handle only in the loop's
/// thread.
class call_handle {
public:
    explicit call_handle(loop::shared_state<detail::scheduled_call> call) noexcept : call_(std::move(call)) {}

    void cancel() {
        call_->cancelled = true;
        call_->waiting.cancel();
    }

private:
    loop::shared_state<detail::scheduled_call> call_;
};

/// Calls function() from the loop when the clock has reached `when`, never earlier and never inside
/// call_at().
template <class Function>
call_handle call_at(scheduler& owner, timer::time_point when, Function function) {
    auto call = loop::shared_state<detail::scheduled_call>::make(owner, when);
    call->waiting.async_wait(detail::call_handler<Function>{&owner, call, std::move(function)});
    return call_handle(std::move(call));
}

}  // namespace loopbench::asio_ref::tuned
