// The report's tables as Markdown, for a pull request or a wiki.
#pragma once

#include <string>
#include <string_view>

#include "reports/model/results.hpp"

namespace loopbench::reports {

/// Escapes the characters of `text` that Markdown, its table cells or HTML would interpret.
std::string escaped_markdown(std::string_view text);

/// Writes a Markdown table (GitHub's flavour) for each workload family, followed by the warnings.
std::string write_markdown(const report& content);

}  // namespace loopbench::reports
