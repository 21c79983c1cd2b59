// report.csv: one row per workload, contender and metric, for spreadsheets and data frames.
#pragma once

#include <string>
#include <string_view>

#include "reports/model/results.hpp"

namespace loopbench::reports {

/// Returns CSV according to RFC 4180: cells have quotation marks if necessary, and lines end with CRLF. An
/// apostrophe is put before a text that a spreadsheet would interpret as a formula. Numbers have their
/// shortest form. A missing number is an empty cell.
std::string write_csv(const report& content);

/// Returns a text as one cell of a CSV file.
std::string csv_text(std::string_view value);

}  // namespace loopbench::reports
