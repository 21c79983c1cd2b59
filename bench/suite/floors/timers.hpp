// The timer floors: the work of sleep/*, timer/periodic, timer/ladder, idle/timer and gather/sleep
// (bench/suite/workloads) without a timer queue: one thread sleeps from deadline to deadline. Deadlines,
// clock reads and proofs are those of the workloads.
#pragma once

#include <chrono>

#include "bench/suite/floors/sleepers.hpp"
#include "bench/suite/workloads/trial/trial.hpp"

namespace loopbench::bench::floors {

using timer_floor = void(sleeper& kernel, trial& t);

timer_floor sleep_serial;
timer_floor sleep_concurrent;  // sleeps to the earlier deadline, then to the later one
timer_floor sleep_many;        // sleeps from deadline to deadline in their order, skipping passed ones
timer_floor timer_periodic;
timer_floor idle_timer;    // sleeps to the earlier of its two deadlines: the far one is not reached
timer_floor gather_sleep;  // one sleep to the deadline of all children; then records each child

/// Runs one rung: operations() sleeps of length `time`.
void timer_ladder(sleeper& kernel, trial& t, std::chrono::microseconds time);

}  // namespace loopbench::bench::floors
