// Precise deadlines: sleep until shortly before one, and spin the rest.
//
// A sleeping thread is woken late: by the timer slack, by the interrupt's latency, by an idle core's way back
// from its sleep state (timer/ladder shows by how much, here). So this policy sleeps until a guard before the
// deadline and then asks the clock (and the kernel for I/O, without waiting) until the time has come. That
// takes CPU: up to 100 ms a second with 1000 deadlines a second and a guard of 100 us, which may become
// twice as long; none without near deadlines.
#pragma once

#include <algorithm>

#include "loop/turn.hpp"

namespace loopbench::loop {

/// How long before a deadline the loop has to be awake: an upper quantile of the wake-up error, estimated
/// without keeping samples. Each wake-up that came later than the guard raises it by `step_up` of itself,
/// each that came within it lowers it by `step_down`; it rests where the share of late ones is step_down /
/// (step_up + step_down), about 0.5 %, so that of a hundred deadlines 99 are met. That a sample moves it only
/// by a fixed share, and never beyond the cap, keeps one wake-up that was late by milliseconds (a stopped
/// machine) from making the loop spin for ever.
class wakeup_guard {
public:
    static constexpr nanoseconds shortest{5'000};
    static constexpr nanoseconds longest{200'000};

    nanoseconds value() const noexcept { return guard_; }

    /// `error`: by how much a sleep that was to end at a time has overshot it.
    void record(nanoseconds error) noexcept {
        const nanoseconds change = error > guard_ ? guard_ * step_up / unit : -guard_ * step_down / unit;
        guard_ = std::clamp(guard_ + change, shortest, longest);
    }

    /// A deadline was too near to sleep for it, which lowers it as well: with a guard that has outgrown the
    /// distance of the deadlines the loop would never sleep, and so never learn again.
    void record_none() noexcept { record(nanoseconds(0)); }

private:
    static constexpr int unit = 10'000, step_up = 1'000, step_down = 5;

    nanoseconds guard_{60'000};
};

/// As block_wait, but wakes a guard early for a deadline and spins until it has come or work is there.
class precise_wait {
public:
    template <class Loop>
    void operator()(Loop& loop) {
        if (loop.has_ready() || loop.next_deadline() == never) return block_wait()(loop);
        const time_point deadline = loop.next_deadline();
        // A deadline before the boot has passed; from the least of them nothing can be subtracted.
        const time_point wake_at = std::max(deadline, time_point{}) - guard_.value();
        if (loop.now() < wake_at) {
            loop.sleep_until_event(wake_at);
            const time_point woken_at = loop.now();
            if (woken_at >= wake_at && !loop.has_ready()) guard_.record(woken_at - wake_at);
            if (woken_at < wake_at) return;  // I/O, a post, or a signal: not the time yet
        } else if (deadline != seen_) {
            guard_.record_none();
        }
        seen_ = deadline;  // it is spun for, perhaps in several turns
        // At least one look at the kernel, or who is always late for a deadline would never see any I/O.
        do {
            if (loop.has_pending_io()) loop.look();
        } while (!loop.has_ready() && !loop.has_posted() && loop.now() < deadline);
    }

private:
    wakeup_guard guard_;
    time_point seen_ = never;
};

}  // namespace loopbench::loop
