// Laws that every trial obeys, checked on every trial. They compare what a contender says with itself and
// with what its parent saw. A number that breaks one cannot be true, whatever the reason, and the trial
// fails.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bench/catalog/workload_table.hpp"
#include "bench/harness/trial/process/child_process.hpp"

namespace loopbench::bench {

/// A contender's statements about its timed section: counters of its Google Benchmark row. Each can be
/// absent: a contender in another language need not print them, and the laws that need them are then not
/// checked.
struct timed_claims {
    std::optional<double> operations{};  // timed_operations: that `time` is of
    std::optional<double> wall_ns{};     // timed_wall: the length of the section
    std::optional<double> cpu_ns{};      // timed_cpu: CPU time in it; absent for the time of another process
    std::optional<double> latencies{};   // how many were recorded in it
    std::optional<double> latency_mean{};  // ns
    std::optional<double> age_ns{};        // how long its clock ran, from the start of main() to its result

    // The numbers that are printed, which must be those of the section.
    std::optional<double> time_ns{};                     // per operation
    std::optional<double> throughput{};                  // operations per second
    std::optional<double> cpu_of_operation{};            // ns
    std::optional<double> latency_p50{}, latency_p99{};  // ns
    bool records = true;                                 // false if it was configured to record no latencies
};

/// A slice, as the contender reports it and as the harness saw it.
struct slice {
    std::uint64_t operations = 0, untimed_operations = 0;
    std::chrono::nanoseconds timed{}, untimed{};
    std::chrono::nanoseconds observed{};  // from giving the slice to the contender's reply
};

/// Returns the law that the slices of a trial break, and how; nothing when they break none. `waited` is how
/// long both sides waited for a core meanwhile. If the contender does not report its untimed part, only the
/// upper bound is checked.
std::optional<std::string> law_broken_by_slices(std::span<const slice> slices,
                                                std::chrono::nanoseconds waited = {});

/// Returns how the slices of a trial differ from its whole section; nothing if they add up to it.
std::optional<std::string> law_broken_by_sum_of(std::span<const slice> slices, const timed_claims& claims);

/// Returns the law that a trial breaks, and how; nothing when it breaks none. `shape` is the workload's entry
/// in the catalog. `child` is what the parent saw of the process. `cores` is how many it could use.
std::optional<std::string> law_broken_by(const timed_claims& claims, const workload_shape& shape,
                                         const child_outcome& child, int cores);

}  // namespace loopbench::bench
