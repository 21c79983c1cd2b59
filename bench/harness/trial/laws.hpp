// The laws that every trial must obey. The laws compare the numbers that a contender reports with each other,
// and with the observations of the contender's parent process (the harness). A number that breaks a law
// cannot be true. Therefore the trial fails.
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

/// The numbers that a contender reports about its timed section, as counters in its Google Benchmark row. Any
/// counter can be absent, because contenders in other languages need not print all counters. A law that needs
/// an absent counter is not checked. There is one exception: a trial with timed operations but without
/// latencies breaks the law of counts if the workload has a fixed number of operations in flight.
struct timed_claims {
    std::optional<double> operations{};  // timed_operations: the number of timed operations
    std::optional<double> wall_ns{};     // timed_wall: the length of the section
    std::optional<double> cpu_ns{};  // timed_cpu: CPU time in the section; absent if another process is timed
    std::optional<double> latencies{};     // the number of latencies recorded in the section
    std::optional<double> latency_mean{};  // ns
    std::optional<double> age_ns{};        // time from main() to the result, by the contender's clock

    // The printed results, which must follow from the numbers above.
    std::optional<double> time_ns{};                     // per operation
    std::optional<double> throughput{};                  // operations per second
    std::optional<double> cpu_of_operation{};            // ns
    std::optional<double> latency_p50{}, latency_p99{};  // ns
    bool records = true;                                 // false if recording latencies was disabled
};

/// The numbers of one slice that the contender reports, and the duration that the harness observes.
struct slice {
    std::uint64_t operations = 0, untimed_operations = 0;
    std::chrono::nanoseconds timed{}, untimed{};
    std::chrono::nanoseconds observed{};  // from granting the slice to receiving the reply
};

/// Returns a message that names the law that the slices of a trial break, or nothing if the slices obey all
/// laws. `waited` is the total time for which the contender and the harness waited for a core. If the
/// contender does not report the untimed parts, only checks that no slice is longer than the harness
/// observed.
std::optional<std::string> law_broken_by_slices(std::span<const slice> slices,
                                                std::chrono::nanoseconds waited = {});

/// Returns a message that states how the sum of a trial's slices differs from the trial's timed section, or
/// nothing if the sum is equal to the timed section.
std::optional<std::string> law_broken_by_sum_of(std::span<const slice> slices, const timed_claims& claims);

/// Returns a message that names the first law that a trial breaks, or nothing if the trial obeys all laws.
/// `shape` is the workload's entry in the catalog, `child` contains the parent's observations of the process,
/// and `cores` is the number of cores that the process could use.
std::optional<std::string> law_broken_by(const timed_claims& claims, const workload_shape& shape,
                                         const child_outcome& child, int cores);

}  // namespace loopbench::bench
