// The summary after a run, within 80 columns. text_table.hpp contains the complete tables.
#pragma once

#include <string>
#include <vector>

#include "reports/model/results.hpp"

namespace loopbench::reports {

inline constexpr std::size_t screen_columns = 80, screen_lines = 30;

enum class colours : bool { off, on };

std::string draw_screen(const report& content, colours paint = colours::off);

/// Returns at most two lines with warnings, the shortest warning first. If there are more than two warnings,
/// the second line gives the number of the other warnings.
std::vector<std::string> warning_lines(const report& content);

std::string draw_whole_screen(const report& content, colours paint);

}  // namespace loopbench::reports
