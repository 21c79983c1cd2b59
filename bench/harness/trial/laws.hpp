// Finds numbers that cannot be true ("Laws" in docs/method.md), by comparing a contender's numbers with each
// other and with the harness's observations of its process. A trial with such a number fails.
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

/// The numbers that a contender reports about its timed section, as counters in its Google Benchmark row. A
/// check that needs an absent counter is left out, with one exception: if the workload has a fixed number of
/// operations in flight, a trial with timed operations but without latencies fails.
struct timed_claims {
    std::optional<double> operations{};
    std::optional<double> wall_ns{};
    std::optional<double> cpu_ns{};  // absent if another process is timed
    std::optional<double> latencies{};
    std::optional<double> latency_mean{};    // ns
    std::optional<double> age_ns{};          // from main() to the result, by the contender's clock
    std::optional<double> thread_wait_ns{};  // the longest wait of one of its own threads for a CPU

    std::optional<double> time_ns{};                     // per operation
    std::optional<double> throughput{};                  // operations per second
    std::optional<double> cpu_of_operation{};            // ns
    std::optional<double> latency_p50{}, latency_p99{};  // ns
    bool records = true;                                 // false if recording latencies was disabled
};

struct slice {
    std::uint64_t operations = 0, untimed_operations = 0;
    std::chrono::nanoseconds timed{}, untimed{};
    std::chrono::nanoseconds observed{};  // from granting the slice to receiving the reply
};

/// Returns a message about the first numbers of the slices that cannot be true, or nothing. `waited` is the
/// total time for which the contender and the harness waited for a core. If the slices have no untimed parts,
/// only checks that no slice is longer than the time that the harness observed.
std::optional<std::string> law_broken_by_slices(std::span<const slice> slices,
                                                std::chrono::nanoseconds waited = {});

std::optional<std::string> law_broken_by_sum_of(std::span<const slice> slices, const timed_claims& claims);

/// Returns a message about the first numbers of the trial that cannot be true, or nothing. `child` contains
/// the harness's observations of the process, and `cores` is the number of cores that the process could use.
std::optional<std::string> law_broken_by(const timed_claims& claims, const workload_shape& shape,
                                         const child_outcome& child, int cores);

}  // namespace loopbench::bench
