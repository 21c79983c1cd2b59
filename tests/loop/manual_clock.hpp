#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <thread>

#include "loop/loop.hpp"

namespace loopbench::loop::test {

/// The time of all loops of this thread that use a manual_clock.
struct manual_time {
    static constexpr time_point start{std::chrono::hours(1)};
    static inline thread_local time_point now = start;
    static inline thread_local nanoseconds oversleep{0};

    static void pass(nanoseconds duration) noexcept { now += duration; }
    static void pass_to(time_point when) noexcept { now = std::max(now, when); }
};

/// A clock that follows real time and counts the loop's waits, which reveals busy waiting.
class counting_clock : public clock {
public:
    virtual ~counting_clock() = default;

    time_point now() noexcept override { return std::chrono::steady_clock::now(); }
    /// Sleeps for a hundredth of `duration`. Only loop-tick calls this function, so its ticks take 1 ms
    /// instead of 100 ms.
    void sleep_for(nanoseconds duration) override { std::this_thread::sleep_for(duration / 100); }
    void wait(event_loop&, driver& io, time_point deadline) override {
        ++waits_;
        if (deadline != do_not_wait) ++sleeps_;
        io.wait(deadline);
    }

    std::size_t waits() const noexcept { return waits_; }
    /// Returns the number of waits that were allowed to sleep. For a manual_clock, returns the number of
    /// waits that advanced the clock.
    std::size_t sleeps() const noexcept { return sleeps_; }

protected:
    std::size_t waits_ = 0;
    std::size_t sleeps_ = 0;
};

/// A clock that does not follow real time. If there are no events, a wait advances the clock to the wait's
/// deadline.
class manual_clock final : public counting_clock {
public:
    /// Creates a clock that advances by `step` at each reading. The wait policies that spin need a step above
    /// zero.
    explicit manual_clock(nanoseconds step = nanoseconds::zero()) noexcept : step_(step) {}

    time_point now() noexcept override {
        manual_time::pass(step_);
        return manual_time::now;
    }
    void sleep_for(nanoseconds duration) override { manual_time::pass(duration); }
    /// Sleeps in the kernel only if there is no deadline and no posted function. In this case, the test waits
    /// for another thread.
    void wait(event_loop& loop, driver& io, time_point deadline) override {
        ++waits_;
        const bool woken = loop.has_posted();
        if (deadline == never && !woken) return io.wait(never);
        io.wait(do_not_wait);
        if (woken || loop.has_posted() || deadline == do_not_wait || loop.has_ready()) return;
        ++sleeps_;
        manual_time::pass_to(deadline + manual_time::oversleep);
    }

private:
    nanoseconds step_;
};

}  // namespace loopbench::loop::test
