// A sleep, and how late it ended: shared by every workload that measures timers.
#pragma once

#include <chrono>
#include <cstdint>

#include "bench/runtime.hpp"
#include "bench/workloads/trial/trial.hpp"

namespace loopbench::bench::workloads {

namespace detail {

/// Position i of 0 … count-1 in a mixed order: each once, neighbours far apart. (Multiplication by a number
/// without a common factor; 2^31 - 1 is prime.) For deadlines, so that no timer queue gets them sorted.
constexpr std::uint64_t shuffled(std::uint64_t i, std::uint64_t count) noexcept {
    return i * 2'147'483'647 % count;
}

}  // namespace detail

/// Records how long after its deadline a timer fired, by the system's clock and not by the runtime's, which
/// may be a turn old and would then hide part of it.
inline void record_lateness(trial& t, time_point deadline) {
    t.lateness().record(std::chrono::nanoseconds(std::chrono::steady_clock::now() - deadline).count());
}

/// Sleeps to an absolute deadline. The runtime's awaitable may be cheaper than a task, so this is one task
/// more than a bare sleep: for workloads that do few sleeps.
template <Runtime R>
task_of<R> sleep_and_record(R& runtime, trial& t, time_point deadline) {
    co_await runtime.sleep_until(deadline);
    record_lateness(t, deadline);
}

}  // namespace loopbench::bench::workloads
