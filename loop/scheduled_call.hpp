// A function that is to be called soon or at a time, and can be cancelled: asyncio's Handle and TimerHandle.
#pragma once

#include <functional>
#include <source_location>
#include <utility>

#include "loop/identity.hpp"
#include "loop/shared_state.hpp"
#include "loop/timers/timer.hpp"

namespace loopbench::loop {

namespace detail {

/// While it is armed or queued it holds a reference to itself.
struct scheduled_call : timer {
    scheduled_call(std::function<void()> what, const std::source_location& scheduled_at)
        : function(std::move(what)), where(scheduled_at) {
        complete = &run_or_discard;
    }

    static void run_or_discard(operation* op, completion how) {
        auto& self = *static_cast<scheduled_call*>(op);
        if (how == completion::tell) {
            told = {.function = &self.function.target_type(), .where = self.where};
            return;
        }
        // Takes over the reference that the queue held; the function may drop the last handle to itself.
        const auto keep = shared_state<scheduled_call>::share(self);
        --self.references;
        const std::function<void()> work = std::exchange(self.function, nullptr);
        if (how == completion::run && work) work();
    }

    std::function<void()> function;  // empty once it has run or was cancelled
    std::source_location where;      // for debug mode
    unsigned references = 1;
};

}  // namespace detail

/// Names a scheduled call. Copyable; dropping it does not cancel. Loop's thread only; it must not outlive the
/// loop while its call is still to come.
template <class Loop>
class call_handle {
public:
    call_handle() = default;
    call_handle(Loop& loop, shared_state<detail::scheduled_call> call) noexcept
        : loop_(&loop), call_(std::move(call)) {}

    /// The function will not be called, not even when it is due already and queued; its captures are freed.
    /// Harmless when it has run or was cancelled.
    void cancel() {
        if (!call_) return;
        call_->function = nullptr;
        if (!call_->armed) return;  // done, or in the ready queue, which will drop it
        loop_->timers().erase(*call_);
        call_->run_or_discard(&*call_, completion::discard);
    }

    bool pending() const noexcept { return call_ && call_->function; }

private:
    Loop* loop_ = nullptr;
    shared_state<detail::scheduled_call> call_;
};

}  // namespace loopbench::loop
