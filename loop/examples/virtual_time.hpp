// The virtual clock jumps to the next deadline if the loop has nothing to do before that deadline. Thus the
// order of a program's output depends only on the program's deadlines. The kernel does not use virtual time:
// if I/O is pending, the clock waits 10 ms of real time for the I/O before each jump.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "loop/io/io.hpp"
#include "loop/loop.hpp"
#include "loop/timers/clock.hpp"

namespace loopbench::examples {

class virtual_clock final : public loop::clock {
public:
    /// Advances the time by 10 µs and returns it. Thus a loop that only reads the clock and never sleeps also
    /// makes progress.
    loop::time_point now() noexcept override { return now_ += look; }

    void sleep_for(loop::nanoseconds duration) override { sleep_until(now_ + duration); }

    void wait(loop::event_loop& loop, loop::driver& io, loop::time_point deadline) override {
        if (deadline == loop::do_not_wait || deadline == loop::never) return io.wait(deadline);
        const auto moment = std::chrono::steady_clock::now() + time_for_io;
        io.wait(io.pending() == 0 ? loop::do_not_wait : moment);
        if (!loop.has_ready() && !loop.has_posted()) sleep_until(deadline);
    }

    void advance_to(loop::time_point when) noexcept { now_ = std::max(now_, when); }

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
