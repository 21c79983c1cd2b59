// What a person reads after a run: what was found and how sure that is, then tables of what the workloads are
// about, within 100 columns. Everything else is in the tables of table.hpp.
#pragma once

#include <string>
#include <vector>

#include "reports/results.hpp"

namespace loopbench::reports {

inline constexpr std::size_t screen_columns = 100;

enum class colours : bool { off, on };

/// The findings; a table each of cost per operation, timer accuracy beside CPU, idleness, and what a server
/// bears, where a workload is about it; and once each, why cells have no number. Ends with a line that says
/// how to read it.
std::string draw_screen(const report& content, colours paint = colours::off);

/// The warnings as lines of a screen, shortest first: at most five lines, and the rest counted.
std::vector<std::string> warning_lines(const report& content);

}  // namespace loopbench::reports
