#pragma once

#include <string>
#include <string_view>

#include "reports/model/results.hpp"

namespace loopbench::reports {

/// Returns CSV according to RFC 4180, with CRLF. Puts an apostrophe before a text that a spreadsheet would
/// interpret as a formula. A missing number is an empty cell.
std::string write_csv(const report& content);

std::string csv_text(std::string_view value);

}  // namespace loopbench::reports
