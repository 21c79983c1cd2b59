// The timer floors do the work of sleep/*, timer/periodic, timer/ladder, idle/timer and gather/sleep
// (bench/suite/workloads) without a timer queue: one thread sleeps from deadline to deadline. The deadlines,
// clock reads and checks are those of the workloads.
#pragma once

#include <chrono>

#include "bench/suite/floors/sleepers.hpp"
#include "bench/suite/workloads/trial/trial.hpp"

namespace loopbench::bench::floors {

using timer_floor = void(sleeper& kernel, trial& t);

timer_floor sleep_serial;
timer_floor sleep_concurrent;  // sleeps to the earlier deadline, then to the later one
timer_floor sleep_many;        // sleeps to each deadline in ascending order; skips deadlines that have passed
timer_floor timer_periodic;
timer_floor idle_timer;    // sleeps to the near deadline only
timer_floor gather_sleep;  // sleeps once, to the common deadline; then records each child

/// Runs one step of timer/ladder: operations() sleeps of length `time`, one after the other.
void timer_ladder(sleeper& kernel, trial& t, std::chrono::microseconds time);

}  // namespace loopbench::bench::floors
