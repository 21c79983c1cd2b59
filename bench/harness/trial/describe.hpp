#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "bench/harness/trial/contender_list.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns the contender's name and context in the format of a report. Starts the contender with
/// LOOPBENCH_DESCRIBE=1; the suite's contenders then print their context for workloads of this size and run
/// nothing.
///
/// A third-party Google Benchmark program prints its context only before results. Therefore it runs one
/// benchmark for the shortest possible time: its first benchmark in `workloads`, or else the first that it
/// lists. The result is discarded. If this run also fails, or if the contender has no workloads, the context
/// is an empty object.
///
/// `limit` is the time limit of all starts together. They end early when `stop_fd` becomes readable.
reports::contender describe(const contender& who, std::span<const std::string> workloads, workload_size size,
                            std::chrono::nanoseconds limit, int stop_fd);

/// Describes all contenders, in their order. `limit` is the time limit of each contender.
std::vector<reports::contender> describe_all(std::span<const contender> contenders,
                                             std::span<const std::string> workloads, workload_size size,
                                             std::chrono::nanoseconds limit, int stop_fd);

}  // namespace loopbench::bench
