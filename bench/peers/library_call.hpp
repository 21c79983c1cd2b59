// A function that a library's timer calls, unless it is cancelled before: what call_at() of the adapters
// makes.
#pragma once

#include <functional>
#include <utility>

#include "loop/operation.hpp"
#include "loop/shared_state.hpp"

namespace loopbench::bench::peers {

/// `Timer` is what the library needs for one: stop() takes it back. While it is armed or queued, the call
/// holds a reference to itself.
template <class Timer>
struct library_call : loop::operation {
    explicit library_call(std::function<void()> what)
        : loop::operation{nullptr, &run_or_discard}, function(std::move(what)) {}

    static void run_or_discard(loop::operation* op, loop::completion how) {
        auto& self = *static_cast<library_call*>(op);
        const auto keep = loop::shared_state<library_call>::share(self);
        --self.references;
        const std::function<void()> work = std::exchange(self.function, nullptr);
        if (how == loop::completion::run && work) work();
    }

    /// Before its time has come: it is neither armed nor called any more.
    void withdraw() {
        armed = false;
        timer.stop();
        run_or_discard(this, loop::completion::discard);
    }

    std::function<void()> function;  // empty once it has run or was cancelled
    Timer timer{};
    bool armed = false;  // known to the library
    unsigned references = 1;
};

/// Names a call. Copyable; dropping it does not cancel; on the loop's thread only, and not after the runtime.
template <class Timer>
class library_call_handle {
public:
    explicit library_call_handle(loop::shared_state<library_call<Timer>> call) noexcept
        : call_(std::move(call)) {}

    /// The function is not called any more. Harmless when it was called or cancelled before.
    void cancel() {
        call_->function = nullptr;
        if (call_->armed) call_->withdraw();
    }

private:
    loop::shared_state<library_call<Timer>> call_;
};

}  // namespace loopbench::bench::peers
