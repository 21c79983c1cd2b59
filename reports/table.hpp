// The table that a run prints on the terminal.
#pragma once

#include <string>

#include "reports/results.hpp"

namespace loopbench::reports {

/// A table for each workload family, aligned for a fixed-width font. When that is more than a screen, the
/// overview.
std::string write_table(const report& content);

}  // namespace loopbench::reports
