// The timer floors: the work of sleep/*, timer/periodic, timer/ladder, idle/timer and gather/sleep
// (bench/workloads) when there is nothing to keep timers in: one thread sleeps from deadline to deadline.
// Deadlines, clock reads and proofs are those of the workloads.
#pragma once

#include <chrono>

#include "bench/floors/sleepers.hpp"
#include "bench/workloads/trial/trial.hpp"

namespace loopbench::bench::floors {

using timer_floor = void(sleeper& kernel, trial& t);

timer_floor sleep_serial;
timer_floor sleep_concurrent;  // to the earlier deadline, then to the later one
timer_floor sleep_many;  // from deadline to deadline in their order, over those that have passed meanwhile
timer_floor timer_periodic;
timer_floor idle_timer;    // to the earlier of its two deadlines: the far one is not reached
timer_floor gather_sleep;  // one sleep to the deadline of all children, then each is accounted for

/// One rung: operations() sleeps of so much.
void timer_ladder(sleeper& kernel, trial& t, std::chrono::microseconds time);

}  // namespace loopbench::bench::floors
