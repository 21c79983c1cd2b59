// All tables of a report, with unlimited width. screen.hpp has the summary that a run prints.
#pragma once

#include <string>

#include "reports/model/results.hpp"

namespace loopbench::reports {

/// Writes a table for each workload family. Its columns are aligned for a fixed-width font.
std::string write_table(const report& content);

}  // namespace loopbench::reports
