// The loop's time: CLOCK_MONOTONIC in nanoseconds.
#pragma once

#include <chrono>
#include <thread>

namespace loopbench::loop {

using time_point = std::chrono::steady_clock::time_point;
using nanoseconds = std::chrono::nanoseconds;

/// "No deadline": a wait for it lasts until something else happens.
inline constexpr time_point never = time_point::max();

/// now + delay, without overflow: a delay that is too long for the clock is `never`; a negative one is `now`.
constexpr time_point deadline_after(time_point now, nanoseconds delay) noexcept {
    if (delay <= nanoseconds::zero()) return now;
    return delay >= never - now ? never : now + delay;
}

/// The clock of every design. Tests put a manual one in its place.
struct monotonic_clock {
    time_point now() const noexcept { return std::chrono::steady_clock::now(); }
    /// Blocks the thread: only the tick policy does that.
    void sleep_for(nanoseconds duration) const { std::this_thread::sleep_for(duration); }
};

}  // namespace loopbench::loop
