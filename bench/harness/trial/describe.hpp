#pragma once

#include <chrono>
#include <span>
#include <vector>

#include "bench/harness/trial/contender_list.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns the contenders' names and contexts. With LOOPBENCH_DESCRIBE=1, the suite's contenders print their
/// context and run nothing. A third-party Google Benchmark program prints its context only before results, so
/// its first workload runs for the shortest possible time. The context is empty if this run fails, too.
/// `limit` is for each start; `stop_fd` ends a start when it becomes readable.
std::vector<reports::contender> describe_all(std::span<const contender> contenders, workload_size size,
                                             std::chrono::nanoseconds limit, int stop_fd);

}  // namespace loopbench::bench
