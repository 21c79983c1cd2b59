// The same table for a pull request or a wiki.
#pragma once

#include <string>

#include "reports/results.hpp"

namespace loopbench::reports {

/// A Markdown table (GitHub's flavour) for each workload family, with the warnings below.
std::string write_markdown(const report& content);

}  // namespace loopbench::reports
