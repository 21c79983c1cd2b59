// A run and the reader of its journal use the same code for the counts, so that they give the same report.
#pragma once

#include <span>
#include <string>

#include "bench/harness/experiment/counted.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

bool has_time(const reports::report& report, const std::string& workload, const std::string& contender);

/// Adds the counts to the report. Ignores values of workloads and contenders that have no time in the report.
/// Warns of missing counts, and of doublings outside their bounds (counted.hpp).
void add_counts(reports::report& report, std::span<const counted_result> cells);

}  // namespace loopbench::bench
