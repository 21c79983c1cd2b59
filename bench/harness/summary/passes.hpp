// Turns the counts of the passes, which run after the trials, into results. A run and the reader of the run's
// journal use the same code, so that they give the same report.
#pragma once

#include <span>
#include <string>

#include "bench/harness/experiment/counted.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns true if the report has a time for this workload and contender.
bool has_time(const reports::report& report, const std::string& workload, const std::string& contender);

/// Adds the counts and the timed values (such as the doubling) of the passes to the report. Places these
/// values after the other results of the same workload and contender, in the order of the metrics. Adds a
/// warning for each reason why counts are missing, and a warning for doublings outside their bounds
/// (counted.hpp). Ignores values of workloads and contenders that have no time in the report.
void add_counts(reports::report& report, std::span<const counted_result> cells);

}  // namespace loopbench::bench
