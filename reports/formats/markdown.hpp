// The same table for a pull request or a wiki.
#pragma once

#include <string>
#include <string_view>

#include "reports/results.hpp"

namespace loopbench::reports {

/// `text` with what Markdown or HTML would interpret escaped, for a cell of a table, too.
std::string escaped_markdown(std::string_view text);

/// A Markdown table (GitHub's flavour) for each workload family, with the warnings below.
std::string write_markdown(const report& content);

}  // namespace loopbench::reports
