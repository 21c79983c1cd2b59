// Every table of a report, as wide as they get; screen.hpp has what a run prints.
#pragma once

#include <string>

#include "reports/results.hpp"

namespace loopbench::reports {

/// A table for each workload family, aligned for a fixed-width font.
std::string write_table(const report& content);

}  // namespace loopbench::reports
