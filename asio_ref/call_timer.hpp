#pragma once

#include <memory>
#include <utility>

#include "asio_ref/types.hpp"

namespace loopbench::asio_ref {

namespace detail {

struct scheduled_call {
    scheduled_call(const executor& loop, timer::time_point when) : waiting(loop, when) {}

    timer waiting;
    // The flag is needed because cancelling a timer after its expiry has no effect, although its handler
    // might still be queued.
    bool cancelled = false;
};

}  // namespace detail

/// A handle to a scheduled call. Dropping a handle does not cancel the call. Use a handle only in the loop's
/// thread.
class call_handle {
public:
    explicit call_handle(std::shared_ptr<detail::scheduled_call> call) : call_(std::move(call)) {}

    void cancel() {
        call_->cancelled = true;
        call_->waiting.cancel();
    }

private:
    std::shared_ptr<detail::scheduled_call> call_;
};

/// Calls function() from the loop when the clock has reached `when`, never earlier and never inside
/// call_at().
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
