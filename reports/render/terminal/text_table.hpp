#pragma once

#include <string>

#include "reports/model/results.hpp"

namespace loopbench::reports {

std::string write_table(const report& content);

/// Returns a line with the programs of contenders whose name is not their program's path, lines with the
/// loops of swapped Asio programs, and an empty line. Returns an empty text if there is nothing to say.
std::string programs_text(const report& content);

}  // namespace loopbench::reports
