// The report's table as Markdown, for a pull request or a wiki.
#pragma once

#include <string>
#include <string_view>

#include "reports/model/results.hpp"

namespace loopbench::reports {

/// Escapes the characters of `text` that Markdown or HTML would interpret, including those in table cells.
std::string escaped_markdown(std::string_view text);

/// Writes a Markdown table (GitHub's flavour) for each workload family, followed by the warnings.
std::string write_markdown(const report& content);

}  // namespace loopbench::reports
