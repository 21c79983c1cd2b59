#pragma once

#include <string>
#include <vector>

#include "bench/harness/counting/causes.hpp"
#include "reports/model/causes.hpp"

namespace loopbench::bench {

/// Profiles both builds, and adds the profile to `found`: with perf if it works on this machine, otherwise
/// with callgrind. If no profiler works, adds the reason and the remedy to `found.missing`. Throws
/// out_of_time. Must be called after compare_counts(), which finds the CPU times.
void compare_functions(reports::slowdown_cause& found, const two_builds& builds, const measured_times& times);

}  // namespace loopbench::bench
