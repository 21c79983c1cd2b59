#pragma once

#include <string>

#include "bench/harness/trial/process/child_process.hpp"
#include "bench/harness/trial/shared_limit.hpp"

namespace loopbench::bench {

/// Removes from `printed`, the output of `listing`, the lines that are not names of benchmarks. Programs can
/// print other text to their standard output, for example a log.
///
/// Starts the program with a filter that selects no benchmark: the lines that it then prints are not names.
/// If such a line differs from start to start, for example because it contains the time, `listing` is started
/// once more, and only lines that both listings contain are names. If nothing would remain, the program
/// ignores the filter, and the lines are kept. If all lines are names of loopbench's own workloads, no
/// program is started. `plain` is `listing` without a filter.
std::string without_noise(const child_request& listing, const child_request& plain, std::string printed,
                          const shared_limit& limit);

}  // namespace loopbench::bench
