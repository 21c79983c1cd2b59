// The loop's time: CLOCK_MONOTONIC in nanoseconds.
#pragma once

#include <chrono>

namespace loopbench::loop {

class driver;
class event_loop;

using time_point = std::chrono::steady_clock::time_point;
using nanoseconds = std::chrono::nanoseconds;

/// "No deadline": a wait until `never` lasts until something else happens.
inline constexpr time_point never = time_point::max();

/// Returns now + delay without overflow: `never` if the delay is too long for the clock, `now` if it is
/// negative.
constexpr time_point deadline_after(time_point now, nanoseconds delay) noexcept {
    if (delay <= nanoseconds::zero()) return now;
    return delay >= never - now ? never : now + delay;
}

/// The clock of a loop, and how time passes while the loop waits. Tests and simulations replace the kernel's
/// clock with it. Loop's thread only.
class clock {
public:
    virtual time_point now() noexcept = 0;
    /// Blocks the thread; only the tick policy uses it.
    virtual void sleep_for(nanoseconds duration) = 0;
    /// Called instead of io.wait(deadline). `loop` shows if something was posted meanwhile.
    virtual void wait(event_loop& loop, driver& io, time_point deadline) = 0;

protected:
    ~clock() = default;
};

}  // namespace loopbench::loop
