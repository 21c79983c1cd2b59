// Time that jumps: when nothing can happen before the next deadline, it is that deadline.
//
// A program of five seconds then runs in milliseconds, and the order of what it prints depends on its
// deadlines alone, not on how busy the machine is. Everything else of the design stays: its timer queue, its
// wait policy, its driver. The kernel knows nothing of virtual time, so pending I/O gets a short real moment
// before each jump.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "loop/io/io.hpp"
#include "loop/loop.hpp"
#include "loop/timers/clock.hpp"

namespace loopbench::examples {

/// It starts at 0.
class virtual_clock final : public loop::clock {
public:
    /// Each look at the clock costs time: a loop that only looks and never sleeps gets on, too.
    loop::time_point now() noexcept override { return now_ += look; }

    void sleep_for(loop::nanoseconds duration) override { sleep_until(now_ + duration); }

    /// Jumps where the driver would sleep.
    void wait(loop::event_loop& loop, loop::driver& io, loop::time_point deadline) override {
        if (deadline == loop::do_not_wait || deadline == loop::never) return io.wait(deadline);
        const auto moment = std::chrono::steady_clock::now() + time_for_io;
        io.wait(io.pending() == 0 ? loop::do_not_wait : moment);
        if (!loop.has_ready() && !loop.has_posted()) sleep_until(deadline);
    }

    /// Puts the clock; nobody sleeps.
    void advance_to(loop::time_point when) noexcept { now_ = std::max(now_, when); }

    /// How often a sleep in the kernel was jumped over.
    std::size_t sleeps() const noexcept { return sleeps_; }

private:
    void sleep_until(loop::time_point when) noexcept {
        advance_to(when);
        ++sleeps_;
    }

    static constexpr std::chrono::microseconds look{10};
    static constexpr std::chrono::milliseconds time_for_io{10};
    loop::time_point now_{};
    std::size_t sleeps_ = 0;
};

}  // namespace loopbench::examples
