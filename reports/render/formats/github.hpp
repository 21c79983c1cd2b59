// The annotations for GitHub Actions,
// https://docs.github.com/actions/reference/workflow-commands-for-github-actions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "reports/model/results.hpp"

namespace loopbench::reports {

/// Returns one annotation with a newline. `kind` is "error", "warning" or "notice".
std::string github_command(std::string_view kind, std::string_view title, std::string_view text);

struct annotation {
    std::string_view kind;
    std::string title, text;
};

/// Returns the first ten annotations and the number of further annotations, because GitHub shows at most ten
/// annotations of a kind per step.
std::string github_annotations(std::span<const annotation> all);

/// Writes the first summary sentence and the results that were not run as notices, failed results as errors,
/// and the report's warnings as warnings. A slow contender is not an error, because only gates set limits.
std::string write_github(const report& content);

}  // namespace loopbench::reports
