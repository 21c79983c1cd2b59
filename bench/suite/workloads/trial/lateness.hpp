// A sleep and its lateness: shared by every workload that measures timers.
#pragma once

#include <chrono>
#include <cstdint>

#include "bench/suite/runtime.hpp"
#include "bench/suite/workloads/trial/trial.hpp"

namespace loopbench::bench::workloads {

namespace detail {

/// Returns position i of 0 … count-1 in a mixed order: each occurs once, and neighbours are far apart. (It
/// multiplies by a number without a common factor; 2^31 - 1 is prime.) Used for deadlines, so that no timer
/// queue receives them sorted.
constexpr std::uint64_t shuffled(std::uint64_t i, std::uint64_t count) noexcept {
    return i * 2'147'483'647 % count;
}

}  // namespace detail

/// Records how long after its deadline a timer fired. Uses the system's clock: the runtime's clock may be a
/// turn old, which would hide a part of the lateness.
inline void record_lateness(trial& t, time_point deadline) {
    t.lateness().record(std::chrono::nanoseconds(std::chrono::steady_clock::now() - deadline).count());
}

/// Sleeps to an absolute deadline. This costs one task more than a bare sleep, whose awaitable may be cheaper
/// than a task: for workloads with few sleeps.
template <Runtime R>
task_of<R> sleep_and_record(R& runtime, trial& t, time_point deadline) {
    co_await runtime.sleep_until(deadline);
    record_lateness(t, deadline);
}

}  // namespace loopbench::bench::workloads
