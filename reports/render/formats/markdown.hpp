#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/model/results.hpp"

namespace loopbench::reports {

std::string escaped_markdown(std::string_view text);

/// Returns a section that a reader opens by a click. `text` is Markdown without a newline at its end.
std::string folded_markdown(std::string_view title, std::string_view text);

/// Writes the verdict of a comparison or the first summary sentence of a run, a short table, and folded
/// sections with all tables and warnings.
std::string write_markdown(const report& content);

/// Like write_markdown(content), with this short table, whose first row has the headings.
std::string write_markdown(const report& content, const std::vector<std::vector<std::string>>& comparison);

}  // namespace loopbench::reports
