#pragma once

#include <string>

#include "reports/model/results.hpp"

namespace loopbench::reports {

std::string write_table(const report& content);

/// Returns a line with the programs of contenders whose name is not their program's path, and an empty line;
/// otherwise an empty text.
std::string programs_text(const report& content);

}  // namespace loopbench::reports
