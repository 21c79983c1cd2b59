// A run at a glance: a row for each workload, a column for each contender, as many times as fast as the
// baseline.
#pragma once

#include <string>

#include "reports/results.hpp"

namespace loopbench::reports {

/// The ratios of `time` in one matrix for a fixed-width font, with a line below that says how to read it.
/// Empty when the baseline has not been measured, or nothing beside it.
std::string write_overview(const report& content);

}  // namespace loopbench::reports
