// A wait policy for precise deadlines, which sleeps until shortly before the deadline and then spins.
//
// The kernel wakes a sleeping thread late. The delay is the sum of the timer slack, the latency of the
// interrupt, and the time that an idle core needs to leave its sleep state; the workload timer/ladder
// measures this delay. Therefore this policy sleeps only until a guard time before the deadline. From then
// until the deadline, it reads the clock and asks the kernel for I/O, without waiting. The policy uses CPU
// time only if there are deadlines. With 1000 deadlines per second and a guard time of 100 us, the policy
// spins for up to 100 ms per second. The guard time is at most 200 us.
#pragma once

#include <algorithm>

#include "loop/turn.hpp"

namespace loopbench::loop {

/// The guard time, which is the time before a deadline during which the loop must be awake. The guard time
/// estimates an upper quantile of the wake-up error, without storing samples. A wake-up error above the guard
/// time raises the guard time by the fraction `step_up`; any other error lowers it by the fraction
/// `step_down`. In equilibrium, the share of errors above the guard time is step_down / (step_up +
/// step_down), about 0.5 %, so that more than 99 of 100 deadlines are met. Each error changes the guard time
/// only by a fixed fraction, and the guard time has an upper limit. Therefore a single error of many
/// milliseconds, for example because the machine was stopped, does not cause long spins.
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

    /// Records a deadline for which the loop did not sleep, because the deadline was nearer than the guard
    /// time. This also lowers the guard time. Otherwise, if the guard time became longer than the distance
    /// between deadlines, the loop would never sleep again, and could not measure any more errors.
    void record_none() noexcept { record(nanoseconds(0)); }

private:
    static constexpr int unit = 10'000, step_up = 1'000, step_down = 5;

    nanoseconds guard_{60'000};
};

/// A wait policy like block_wait, except that the loop wakes one guard time before a deadline, and then spins
/// until the deadline or until an operation is ready.
class precise_wait {
public:
    template <class Loop>
    void operator()(Loop& loop) {
        if (loop.has_ready() || loop.next_deadline() == never) return block_wait()(loop);
        const time_point deadline = loop.next_deadline();
        // The machine booted at the time 0, so a deadline below 0 has passed anyway. std::max() prevents an
        // overflow if the deadline is near the earliest time_point.
        const time_point wake_at = std::max(deadline, time_point{}) - guard_.value();
        if (loop.now() < wake_at) {
            loop.sleep_until_event(wake_at);
            const time_point woken_at = loop.now();
            if (woken_at >= wake_at && !loop.has_ready()) guard_.record(woken_at - wake_at);
            if (woken_at < wake_at) return;  // I/O, a post or a signal ended the sleep early
        } else if (deadline != seen_) {
            guard_.record_none();
        }
        seen_ = deadline;  // the loop now spins until this deadline, perhaps for several turns
        // Asks the kernel for I/O at least once; otherwise, a loop that is always late for a deadline would
        // never notice any I/O.
        do {
            if (loop.has_pending_io()) loop.look();
        } while (!loop.has_ready() && !loop.has_posted() && loop.now() < deadline);
    }

private:
    wakeup_guard guard_;
    time_point seen_ = never;
};

}  // namespace loopbench::loop
