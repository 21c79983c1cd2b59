// Annotations of GitHub Actions,
// https://docs.github.com/actions/reference/workflow-commands-for-github-actions.
#pragma once

#include <string>
#include <string_view>

#include "reports/results.hpp"

namespace loopbench::reports {

/// One annotation with the end of its line; `kind` is "error", "warning" or "notice". Title and text may come
/// from outside.
std::string github_command(std::string_view kind, std::string_view title, std::string_view text);

/// An error for every cell that is slower than the baseline or failed, a warning for every warning, a notice
/// for what could not be told.
std::string write_github(const report& content);

}  // namespace loopbench::reports
