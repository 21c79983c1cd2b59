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

#include "loop/drivers/driver.hpp"
#include "loop/round_robin.hpp"
#include "loop/runtime.hpp"

namespace loopbench::examples {

/// One time for the whole thread; it starts at 0.
class virtual_clock {
public:
    /// Each look at the clock costs time: a loop that only looks and never sleeps gets on, too.
    loop::time_point now() const noexcept { return now_ += look; }
    void sleep_for(loop::nanoseconds duration) const noexcept { sleep_until(now_ + duration); }

    /// Puts the clock; nobody sleeps.
    static void advance_to(loop::time_point when) noexcept { now_ = std::max(now_, when); }

    /// What a sleep in the kernel would have come to.
    static void sleep_until(loop::time_point when) noexcept {
        advance_to(when);
        ++sleeps_;
    }
    static std::size_t sleeps() noexcept { return sleeps_; }

private:
    static constexpr std::chrono::microseconds look{10};
    static inline thread_local loop::time_point now_{};
    static inline thread_local std::size_t sleeps_ = 0;
};

/// Jumps where the driver would sleep.
template <class Driver>
class jumping_driver : public Driver {
public:
    explicit jumping_driver(loop::operation_queue& ready) : Driver(ready), ready_(ready) {}

    void wait(loop::time_point deadline) {
        if (deadline == loop::do_not_wait || deadline == loop::never) {
            Driver::wait(deadline);
            return;
        }
        const auto moment = std::chrono::steady_clock::now() + time_for_io;
        Driver::wait(this->in_flight() == 0 ? loop::do_not_wait : moment);
        if (ready_.empty()) virtual_clock::sleep_until(deadline);
    }

private:
    static constexpr std::chrono::milliseconds time_for_io{10};
    loop::operation_queue& ready_;
};

template <loop::Design D>
struct virtual_time : D {
    using driver = jumping_driver<typename D::driver>;
    using clock = virtual_clock;
};

// The same runtime in virtual time.
template <class Runtime>
struct in_virtual_time;

template <loop::Design D>
struct in_virtual_time<loop::runtime<D>> {
    using type = loop::runtime<virtual_time<D>>;
};

template <loop::Design D>
struct in_virtual_time<loop::basic_round_robin_runtime<D>> {
    using type = loop::basic_round_robin_runtime<virtual_time<D>>;
};

}  // namespace loopbench::examples
