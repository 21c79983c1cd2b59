// report.csv: a row per workload, contender and metric, for spreadsheets and data frames.
#pragma once

#include <string>
#include <string_view>

#include "reports/results.hpp"

namespace loopbench::reports {

/// RFC 4180 (quoted where needed, CRLF). A text cell that a spreadsheet would take for a formula begins with
/// an apostrophe; numbers are numbers, in their shortest form, and empty where there is none.
std::string write_csv(const report& content);

/// One cell of text in such a file.
std::string csv_text(std::string_view value);

}  // namespace loopbench::reports
