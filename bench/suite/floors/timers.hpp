// The timer floors do the work of sleep/*, timer/periodic, timer/ladder, idle/timer and gather/sleep
// (bench/suite/workloads) without a timer queue: one thread sleeps until each deadline in turn. The
// deadlines, the clock readings and the checks are the same as in the workloads.
#pragma once

#include <chrono>

#include "bench/suite/floors/sleepers.hpp"
#include "bench/suite/workloads/trial/trial.hpp"

namespace loopbench::bench::floors {

using timer_floor = void(sleeper& kernel, trial& t);

timer_floor sleep_serial;
timer_floor sleep_concurrent;  // sleeps until the earlier deadline, then until the later one
timer_floor sleep_many;        // sleeps until each deadline in ascending order; skips past deadlines
timer_floor timer_periodic;
timer_floor idle_timer;    // sleeps until the end of the idle time; sets no other timers
timer_floor gather_sleep;  // sleeps once, until the common deadline; then records the lateness of each child

/// Does the work of timer/ladder for one duration: sleeps operations() times for `time`, one sleep after
/// another.
void timer_ladder(sleeper& kernel, trial& t, std::chrono::microseconds time);

}  // namespace loopbench::bench::floors
