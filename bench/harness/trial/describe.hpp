// The contenders' descriptions of themselves, before anything is measured.
#pragma once

#include <chrono>
#include <span>
#include <vector>

#include "bench/harness/trial/contender_list.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns the contenders as a report describes them, in their order: with their contexts at that size of
/// workloads. Each one is started with LOOPBENCH_DESCRIBE=1; the suite's contenders then print their context
/// and run nothing. Any other Google Benchmark program lists its benchmarks instead, since it prints a
/// context only before results: its first workload is then run for the shortest time, and the result is
/// discarded. The context is an empty object if that fails too, or if the contender has no workloads. Each
/// start takes at most `limit`, and ends early when `stop_fd` becomes readable.
std::vector<reports::contender> describe_all(std::span<const contender> contenders, workload_size size,
                                             std::chrono::nanoseconds limit, int stop_fd);

}  // namespace loopbench::bench
