// report.csv: a row per workload, contender and metric, for spreadsheets and data frames.
#pragma once

#include <string>
#include <string_view>

#include "reports/model/results.hpp"

namespace loopbench::reports {

/// Returns CSV according to RFC 4180 (quoted where needed, CRLF). A text that a spreadsheet would treat as a
/// formula begins with an apostrophe. Numbers have their shortest form; missing ones are empty.
std::string write_csv(const report& content);

/// Returns a text as one cell of such a file.
std::string csv_text(std::string_view value);

}  // namespace loopbench::reports
