// Annotations of GitHub Actions, https://docs.github.com/actions/reference/workflow-commands-for-github-actions.
#pragma once

#include <string>

#include "reports/results.hpp"

namespace loopbench::reports {

/// An error for every cell that is slower than the baseline or failed, a warning for every warning, a notice for what
/// could not be told.
std::string write_github(const report& content);

}  // namespace loopbench::reports
