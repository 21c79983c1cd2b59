// Turns the counts of the passes after the trials into results: a run and its journal must give the same
// report.
#pragma once

#include <span>
#include <string>

#include "bench/harness/experiment/counted.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns true if the workload was measured on the contender, because only measured ones are counted.
bool has_time(const reports::report& report, const std::string& workload, const std::string& contender);

/// Adds the counts to the report, and the medians with their intervals, after the other results of the same
/// workload and contender and in the order of the metrics. Adds a warning for each reason why some are
/// missing, and one for doublings outside their bounds. Ignores counts without a measured time.
void add_counts(reports::report& report, std::span<const counted_result> cells);

}  // namespace loopbench::bench
