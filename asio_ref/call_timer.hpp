// A function that is called at a given time, unless it is cancelled before: used for timeouts.
#pragma once

#include <memory>
#include <utility>

#include "asio_ref/types.hpp"

namespace loopbench::asio_ref {

namespace detail {

struct scheduled_call {
    scheduled_call(const executor& loop, timer::time_point when) : waiting(loop, when) {}

    timer waiting;
    // A timer that has expired cannot be cancelled, but its handler might still be queued.
    bool cancelled = false;
};

}  // namespace detail

/// A handle of a scheduled call. Copyable; dropping it does not cancel; use it only on the loop's thread.
class call_handle {
public:
    explicit call_handle(std::shared_ptr<detail::scheduled_call> call) : call_(std::move(call)) {}

    /// Prevents the call. Harmless if the function was called or cancelled before.
    void cancel() {
        call_->cancelled = true;
        call_->waiting.cancel();
    }

private:
    std::shared_ptr<detail::scheduled_call> call_;
};

/// Calls function() when the clock has reached `when`, never before and never inline.
template <class Function>
call_handle call_at(const executor& loop, timer::time_point when, Function function) {
    auto call = std::make_shared<detail::scheduled_call>(loop, when);
    call->waiting.async_wait(
        [call, function = std::move(function)](const boost::system::error_code& error) mutable {
            if (!error && !call->cancelled) function();
        });
    return call_handle(std::move(call));
}

}  // namespace loopbench::asio_ref
