// The summary after a run: the summary sentences, then tables of the primary metrics, within
// 100 columns. table.hpp has everything else.
#pragma once

#include <string>
#include <vector>

#include "reports/model/results.hpp"

namespace loopbench::reports {

inline constexpr std::size_t screen_columns = 100;

enum class colours : bool { off, on };

/// Returns the summary sentences; a legend; a table each for time per operation, timer accuracy and CPU,
/// idleness, and server load, if there are such workloads; and each reason for missing numbers once.
std::string draw_screen(const report& content, colours paint = colours::off);

/// Returns the warnings as lines of a screen, shortest first: at most five lines, with a count of the rest.
std::vector<std::string> warning_lines(const report& content);

}  // namespace loopbench::reports
