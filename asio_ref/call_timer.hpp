// A function called at a time, unless it is cancelled before: the word for timeouts.
#pragma once

#include <memory>
#include <utility>

#include "asio_ref/types.hpp"

namespace loopbench::asio_ref {

namespace detail {

struct scheduled_call {
    scheduled_call(const executor& loop, timer::time_point when) : waiting(loop, when) {}

    timer waiting;
    // A timer that has expired cannot be cancelled, but its handler may still be queued.
    bool cancelled = false;
};

}  // namespace detail

/// Names a scheduled call. Copyable; dropping it does not cancel; on the loop's thread only.
class call_handle {
public:
    explicit call_handle(std::shared_ptr<detail::scheduled_call> call) : call_(std::move(call)) {}

    /// The function is not called any more. Harmless when it was called or cancelled before.
    void cancel() {
        call_->cancelled = true;
        call_->waiting.cancel();
    }

private:
    std::shared_ptr<detail::scheduled_call> call_;
};

/// function() runs when the clock has reached `when`, never before and never inline.
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
