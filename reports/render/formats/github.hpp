// Annotations for GitHub Actions,
// https://docs.github.com/actions/reference/workflow-commands-for-github-actions.
#pragma once

#include <string>
#include <string_view>

#include "reports/model/results.hpp"

namespace loopbench::reports {

/// Returns one annotation with a newline. `kind` is "error", "warning" or "notice". `title` and `text` can
/// contain any characters.
std::string github_command(std::string_view kind, std::string_view title, std::string_view text);

/// Writes an error for every result that is slower than the baseline or failed. Writes a warning for every
/// warning of the report, and a notice for every result that was not run or is undecided.
std::string write_github(const report& content);

}  // namespace loopbench::reports
