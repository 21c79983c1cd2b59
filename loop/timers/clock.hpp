// The loop's time: CLOCK_MONOTONIC in nanoseconds.
#pragma once

#include <chrono>

namespace loopbench::loop {

class driver;
class event_loop;

using time_point = std::chrono::steady_clock::time_point;
using nanoseconds = std::chrono::nanoseconds;

/// "No deadline": a wait for it lasts until something else happens.
inline constexpr time_point never = time_point::max();

/// now + delay, without overflow: a delay that is too long for the clock is `never`; a negative one is `now`.
constexpr time_point deadline_after(time_point now, nanoseconds delay) noexcept {
    if (delay <= nanoseconds::zero()) return now;
    return delay >= never - now ? never : now + delay;
}

/// What time it is for a loop, and how it passes while the loop waits: for tests and simulations, which put
/// one in the place of the kernel's. Loop's thread only.
class clock {
public:
    virtual time_point now() noexcept = 0;
    /// Blocks the thread: only the tick policy does that.
    virtual void sleep_for(nanoseconds duration) = 0;
    /// In the place of io.wait(deadline). `loop` says whether something was posted meanwhile.
    virtual void wait(event_loop& loop, driver& io, time_point deadline) = 0;

protected:
    ~clock() = default;
};

}  // namespace loopbench::loop
