// The timer floors do the work of the workloads with the same names (bench/suite/workloads) without a timer
// queue. One thread sleeps until the first deadline, then until the next one, and so on.
#pragma once

#include <chrono>

#include "bench/suite/floors/sleepers.hpp"
#include "bench/suite/workloads/trial/trial.hpp"

namespace loopbench::bench::floors {

using timer_floor = void(sleeper& kernel, trial& t);

timer_floor sleep_serial;
timer_floor sleep_concurrent;
timer_floor sleep_many;
timer_floor timer_periodic;
timer_floor idle_timer;
timer_floor gather_sleep;

void timer_ladder(sleeper& kernel, trial& t, std::chrono::microseconds time);

}  // namespace loopbench::bench::floors
