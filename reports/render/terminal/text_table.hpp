// All tables of a report, without a limit on their width; screen.hpp has the summary that a run prints.
#pragma once

#include <string>

#include "reports/model/results.hpp"

namespace loopbench::reports {

/// Writes a table for each workload family, aligned for a fixed-width font.
std::string write_table(const report& content);

}  // namespace loopbench::reports
