// The wait policy sleeps until shortly before a deadline and then spins, because the kernel wakes a sleeping
// thread late. The delay consists of the timer slack, the latency of the interrupt, and the time that an idle
// core needs to leave its sleep state (measured by timer/ladder). With 1000 deadlines per second and a guard
// time of 100 us, the policy spins for up to 100 ms per second.
#pragma once

#include <algorithm>

#include "loop/turn.hpp"

namespace loopbench::loop {

/// The guard time: the time before a deadline during which the loop must be awake. The guard time estimates
/// an upper quantile of the wake-up error, without storing samples. An error above the guard time raises the
/// guard time by the fraction `step_up`; any other error lowers it by the fraction `step_down`. In
/// equilibrium, the share of errors above the guard time is step_down / (step_up + step_down), about 0.5 %. A
/// single error of many milliseconds, for example because the machine was stopped, changes the guard time
/// only by a fixed fraction.
class wakeup_guard {
public:
    static constexpr nanoseconds shortest{5'000};
    static constexpr nanoseconds longest{200'000};

    nanoseconds value() const noexcept { return guard_; }

    /// Records a wake-up error: the time by which a sleep ended too late.
    void record(nanoseconds error) noexcept {
        const nanoseconds change = error > guard_ ? guard_ * step_up / unit : -guard_ * step_down / unit;
        guard_ = std::clamp(guard_ + change, shortest, longest);
    }

    /// Records a deadline that was nearer than the guard time, and lowers the guard time. Otherwise, a guard
    /// time that is longer than the distance between deadlines would never change again: the loop would never
    /// sleep, and could not measure any more errors.
    void record_none() noexcept { record(nanoseconds(0)); }

private:
    static constexpr int unit = 10'000, step_up = 1'000, step_down = 5;

    nanoseconds guard_{60'000};
};

class precise_wait {
public:
    template <class Loop>
    void operator()(Loop& loop) {
        if (loop.has_ready() || loop.next_deadline() == never) return block_wait()(loop);
        const time_point deadline = loop.next_deadline();
        // std::max() prevents an overflow near the earliest time_point; a deadline below 0, the boot time,
        // has passed anyway.
        const time_point wake_at = std::max(deadline, time_point{}) - guard_.value();
        if (loop.now() < wake_at) {
            loop.sleep_until_event(wake_at);
            const time_point woken_at = loop.now();
            if (woken_at >= wake_at && !loop.has_ready()) guard_.record(woken_at - wake_at);
            if (woken_at < wake_at) return;
        } else if (deadline != seen_) {
            guard_.record_none();
        }
        seen_ = deadline;
        // The loop asks the kernel for I/O events at least once per deadline; otherwise, a loop that is
        // always late for a deadline would never notice any I/O.
        do {
            if (loop.has_pending_io()) loop.look();
        } while (!loop.has_ready() && !loop.has_posted() && loop.now() < deadline);
    }

private:
    wakeup_guard guard_;
    time_point seen_ = never;
};

}  // namespace loopbench::loop
