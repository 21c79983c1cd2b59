// The summary after a run: the summary sentences and then tables of the primary metrics, within 100 columns.
// text_table.hpp contains the complete tables.
#pragma once

#include <string>
#include <vector>

#include "reports/model/results.hpp"

namespace loopbench::reports {

inline constexpr std::size_t screen_columns = 80;

enum class colours : bool { off, on };

/// Returns the summary sentences, a legend, the tables, and each reason for missing numbers once. The tables
/// show time per operation, timer accuracy and CPU, idleness, and server load, if the report has such
/// workloads.
std::string draw_screen(const report& content, colours paint = colours::off);

/// Returns the warnings as lines of the screen, the shortest first: at most five lines, and then the number
/// of other warnings.
std::vector<std::string> warning_lines(const report& content);

}  // namespace loopbench::reports
