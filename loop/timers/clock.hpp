// The loop's time is CLOCK_MONOTONIC in nanoseconds.
#pragma once

#include <chrono>

namespace loopbench::loop {

class driver;
class event_loop;

using time_point = std::chrono::steady_clock::time_point;
using nanoseconds = std::chrono::nanoseconds;

inline constexpr time_point never = time_point::max();

/// Returns now + delay without overflow: `never` if the sum is too large for the clock, and `now` if the
/// delay is negative.
constexpr time_point deadline_after(time_point now, nanoseconds delay) noexcept {
    if (delay <= nanoseconds::zero()) return now;
    return delay >= never - now ? never : now + delay;
}

/// An interface with which tests and simulations replace the kernel's clock. The loop calls the clock only in
/// the loop's own thread.
class clock {
public:
    virtual time_point now() noexcept = 0;
    /// Blocks the calling thread. Only the wait policy `tick` calls this function.
    virtual void sleep_for(nanoseconds duration) = 0;
    virtual void wait(event_loop& loop, driver& io, time_point deadline) = 0;

protected:
    ~clock() = default;
};

}  // namespace loopbench::loop
