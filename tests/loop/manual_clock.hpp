// Time that passes only when a loop has nothing else to do: no test of the loop sleeps, or measures how long
// something took.
//
// The wait policy of a design is part of what is tested, so it stays. What is replaced is its clock, and its
// driver by one that does not sleep: it takes what the kernel has, and when that is nothing, it moves the
// clock to the deadline that it was given.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <type_traits>

#include "loop/clock.hpp"
#include "loop/drivers/driver.hpp"
#include "loop/waits/precise.hpp"
#include "loop/waits/spin.hpp"

namespace loopbench::loop::test {

/// What time it is for the loops of this thread.
struct manual_time {
    static constexpr time_point start{std::chrono::hours(1)};
    static inline thread_local time_point now = start;
    /// By how much the kernel's wake-ups are late.
    static inline thread_local nanoseconds oversleep{0};

    static void pass(nanoseconds duration) noexcept { now += duration; }
    static void pass_to(time_point when) noexcept { now = std::max(now, when); }
};

struct manual_clock {
    time_point now() const noexcept { return manual_time::now; }
    void sleep_for(nanoseconds duration) const noexcept { manual_time::pass(duration); }
};

/// For the wait policies that spin: time passes by being looked at.
struct stepping_clock : manual_clock {
    static constexpr nanoseconds step{1'000};
    time_point now() const noexcept {
        manual_time::pass(step);
        return manual_time::now;
    }
};

/// Any driver, without its sleep.
template <Driver Base>
class manual_driver : public Base {
public:
    explicit manual_driver(operation_queue& ready) : Base(ready), ready_(ready) {}

    /// Sleeps for real only when there is no deadline: then a test waits for another thread.
    void wait(time_point deadline) {
        ++waits_;
        const bool woken = woken_.exchange(false);
        if (deadline == never && !woken) {
            Base::wait(never);
            return;
        }
        Base::wait(do_not_wait);
        if (woken || deadline == do_not_wait || !ready_.empty()) return;
        ++sleeps_;
        manual_time::pass_to(deadline + manual_time::oversleep);
    }

    void wake() noexcept {
        woken_ = true;
        Base::wake();
    }

    std::size_t waits() const noexcept { return waits_; }
    /// How many of the waits moved the clock.
    std::size_t sleeps() const noexcept { return sleeps_; }

private:
    operation_queue& ready_;
    std::atomic<bool> woken_{false};
    std::size_t waits_ = 0;
    std::size_t sleeps_ = 0;
};

/// A design whose time is manual, with everything else as it is.
template <class D>
struct manual : D {
    static constexpr bool spins =
        std::is_same_v<typename D::wait, spin_wait> || std::is_same_v<typename D::wait, precise_wait>;
    using driver = manual_driver<typename D::driver>;
    using clock = std::conditional_t<spins, stepping_clock, manual_clock>;
};

}  // namespace loopbench::loop::test
