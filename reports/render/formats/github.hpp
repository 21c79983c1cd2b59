// Annotations for GitHub Actions,
// https://docs.github.com/actions/reference/workflow-commands-for-github-actions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "reports/model/results.hpp"

namespace loopbench::reports {

/// Returns one annotation with a newline. `kind` is "error", "warning" or "notice". `title` and `text` can
/// contain any characters.
std::string github_command(std::string_view kind, std::string_view title, std::string_view text);

struct annotation {
    std::string_view kind;
    std::string title, text;
};

/// Returns the first ten annotations, and then an annotation with the number of the remaining ones. GitHub
/// shows at most ten annotations of a kind per step.
std::string github_annotations(std::span<const annotation> all);

/// Writes the annotations of an ordinary run: a notice with its first summary sentence, an error for every
/// failed result, a warning for every warning of the report, and a notice for every result that was not run.
/// A slow contender is not an error, because only gates set limits.
std::string write_github(const report& content);

}  // namespace loopbench::reports
