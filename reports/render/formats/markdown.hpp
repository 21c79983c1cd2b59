// The report's tables as Markdown, for a pull request or a wiki.
#pragma once

#include <string>
#include <string_view>

#include "reports/model/results.hpp"

namespace loopbench::reports {

/// Escapes the characters of `text` that Markdown, its table cells or HTML would interpret.
std::string escaped_markdown(std::string_view text);

/// Returns a section that a reader unfolds by a click. `text` is Markdown, and must end without a newline.
std::string folded_markdown(std::string_view title, std::string_view text);

/// Writes the verdict of a comparison or the first summary sentence of a run, and a short table. The sections
/// after it are folded: a Markdown table (GitHub's flavour) for each workload family, and the warnings.
std::string write_markdown(const report& content);

}  // namespace loopbench::reports
