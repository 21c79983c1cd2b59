// All tables of a report, with unlimited width. screen.hpp draws the summary that a run prints.
#pragma once

#include <string>

#include "reports/model/results.hpp"

namespace loopbench::reports {

/// Writes a table for each workload family, with aligned columns for a fixed-width font.
std::string write_table(const report& content);

}  // namespace loopbench::reports
