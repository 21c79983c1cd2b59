#pragma once

#include <chrono>
#include <coroutine>
#include <cstdint>

#include "bench/suite/runtime.hpp"
#include "bench/suite/workloads/trial/trial.hpp"

namespace loopbench::bench::workloads {

namespace detail {

/// Returns element i of a permutation of the numbers 0 to count-1. Neighbours are far apart, so that
/// deadlines arrive unsorted at a timer queue. Each number occurs once, because 2^31 - 1 is prime and is not
/// a factor of `count`.
constexpr std::uint64_t shuffled(std::uint64_t i, std::uint64_t count) noexcept {
    return i * 2'147'483'647 % count;
}

}  // namespace detail

/// Records the time since `deadline`. The runtime's clock would hide a part of the lateness, because its time
/// can be one turn old. Therefore, this function reads the system's clock.
inline void record_lateness(trial& t, time_point deadline) {
    t.lateness().record(std::chrono::nanoseconds(std::chrono::steady_clock::now() - deadline).count());
}

/// Sleeps until `deadline`, and records the lateness. The lateness includes the cost of this task, which can
/// be higher than the cost of the runtime's own sleep.
template <Runtime R>
task_of<R> sleep_and_record(R& runtime, trial& t, time_point deadline) {
    co_await runtime.sleep_until(deadline);
    record_lateness(t, deadline);
}

}  // namespace loopbench::bench::workloads
