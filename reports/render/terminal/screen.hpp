// The summary after a run, within 80 columns.
// text_table.hpp contains the complete tables.
#pragma once

#include <string>
#include <vector>

#include "reports/model/results.hpp"

namespace loopbench::reports {

inline constexpr std::size_t screen_columns = 80, screen_lines = 30;

enum class colours : bool { off, on };

/// Returns the screen: who is fastest, how far the run can be trusted, tables of time per operation, timer
/// accuracy, server load and CPU time, a legend with the reasons for missing numbers, and idle CPU.
std::string draw_screen(const report& content, colours paint = colours::off);

/// Returns the warnings as lines of the screen, the shortest first: at most two lines, the second of
/// which can be the number of other warnings.
std::vector<std::string> warning_lines(const report& content);

/// Returns the screen with the warnings below it.
std::string draw_whole_screen(const report& content, colours paint);

}  // namespace loopbench::reports
