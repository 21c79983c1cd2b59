// What contenders say of themselves, before anything is measured.
#pragma once

#include <chrono>
#include <span>
#include <vector>

#include "bench/trial/contender_list.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

/// The contenders as a report describes them, in their order: by their contexts at that size of their
/// workloads. Each is started with LOOPBENCH_DESCRIBE=1, on which the suite's contenders print their context
/// and run nothing. Any other Google Benchmark program lists its benchmarks instead, since it prints a
/// context only in front of results: its first workload is then run, as short as it goes, and the result
/// thrown away. The context is an empty object when that told nothing either, or the contender has no
/// workloads. Each start takes `limit` at the most and ends early when `stop_fd` becomes readable.
std::vector<reports::contender> describe_all(std::span<const contender> contenders, workload_size size,
                                             std::chrono::nanoseconds limit, int stop_fd);

}  // namespace loopbench::bench
