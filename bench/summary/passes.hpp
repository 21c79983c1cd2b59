// From what the passes after the trials found to results: a report has to come out the same from a run and
// from its journal.
#pragma once

#include <span>
#include <string>

#include "bench/experiment/counted.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

/// Whether the cell was measured, as only those are counted.
bool has_time(const reports::report& report, const std::string& workload, const std::string& contender);

/// Adds the counts to the report, and the medians with their intervals, behind the cell's other results and
/// in the order of the metrics. A warning for each reason why some are missing, and one for the cells whose
/// doubling is not within its bounds. Cells without a time are passed over.
void add_counts(reports::report& report, std::span<const counted_cell> cells);

}  // namespace loopbench::bench
