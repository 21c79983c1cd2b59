// Precise deadlines: sleep until shortly before the deadline, then spin.
//
// A sleeping thread is woken late: by the timer slack, by the interrupt's latency, and by the time that an
// idle core needs to leave its sleep state (timer/ladder measures the total on this machine). So this policy
// sleeps until a guard time before the deadline, and then reads the clock (and asks the kernel for I/O,
// without waiting) until the deadline. This costs CPU: up to 100 ms per second with 1000 deadlines per second
// and a guard of 100 us, which can grow to twice that; and nothing without near deadlines.
#pragma once

#include <algorithm>

#include "loop/turn.hpp"

namespace loopbench::loop {

/// The guard: how long before a deadline the loop has to be awake. It is an upper quantile of the wake-up
/// error, estimated without keeping samples. Each wake-up that was later than the guard raises the guard by
/// the fraction `step_up`; each one within it lowers it by `step_down`. It settles where the share of late
/// wake-ups is step_down / (step_up + step_down), about 0.5 %, so that 99 of 100 deadlines are met. A sample
/// changes it only by a fixed fraction, and never beyond the cap, so a single wake-up that was late by
/// milliseconds (a stopped machine) does not make the loop spin for ever.
class wakeup_guard {
public:
    static constexpr nanoseconds shortest{5'000};
    static constexpr nanoseconds longest{200'000};

    nanoseconds value() const noexcept { return guard_; }

    /// `error`: by how much a sleep until a given time was too long.
    void record(nanoseconds error) noexcept {
        const nanoseconds change = error > guard_ ? guard_ * step_up / unit : -guard_ * step_down / unit;
        guard_ = std::clamp(guard_ + change, shortest, longest);
    }

    /// Records a deadline that was too near to sleep for it, which also lowers the guard: if the guard became
    /// longer than the distance between deadlines, the loop would never sleep, and so never measure again.
    void record_none() noexcept { record(nanoseconds(0)); }

private:
    static constexpr int unit = 10'000, step_up = 1'000, step_down = 5;

    nanoseconds guard_{60'000};
};

/// A wait policy like block_wait, but it wakes one guard time before a deadline, and spins until the deadline
/// or until there is work.
class precise_wait {
public:
    template <class Loop>
    void operator()(Loop& loop) {
        if (loop.has_ready() || loop.next_deadline() == never) return block_wait()(loop);
        const time_point deadline = loop.next_deadline();
        // A deadline before the boot has passed; and nothing can be subtracted from the earliest time_point.
        const time_point wake_at = std::max(deadline, time_point{}) - guard_.value();
        if (loop.now() < wake_at) {
            loop.sleep_until_event(wake_at);
            const time_point woken_at = loop.now();
            if (woken_at >= wake_at && !loop.has_ready()) guard_.record(woken_at - wake_at);
            if (woken_at < wake_at) return;  // I/O, a post, or a signal: too early
        } else if (deadline != seen_) {
            guard_.record_none();
        }
        seen_ = deadline;  // the loop spins for it, perhaps during several turns
        // Asks the kernel at least once; otherwise a loop that is always late for a deadline would never see
        // any I/O.
        do {
            if (loop.has_pending_io()) loop.look();
        } while (!loop.has_ready() && !loop.has_posted() && loop.now() < deadline);
    }

private:
    wakeup_guard guard_;
    time_point seen_ = never;
};

}  // namespace loopbench::loop
