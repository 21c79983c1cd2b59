// Turns the counts of the passes after the trials into results. A run and the journal of that run share this
// code, so that both give the same report.
#pragma once

#include <span>
#include <string>

#include "bench/harness/experiment/counted.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns true if the report has a time for this workload and contender. Other counts are ignored.
bool has_time(const reports::report& report, const std::string& workload, const std::string& contender);

/// Adds the counts, and medians with their intervals, to the report. They follow the other results of the
/// same workload and contender, in the order of the metrics. Adds a warning for each reason why counts are
/// missing, and a warning for doublings outside their bounds. Ignores the counts of a workload and contender
/// without a time.
void add_counts(reports::report& report, std::span<const counted_result> cells);

}  // namespace loopbench::bench
