// A report or a journal that is named on the command line: every command takes either, and says the same of
// what is none.
#pragma once

#include <string>

#include "reports/results.hpp"

namespace loopbench::bench {

/// The text of the file. Throws usage_error when it is not there or cannot be read.
std::string read_report_text(const std::string& file);

/// The report in the file. Throws usage_error, or reports::format_error when there is none in it.
reports::report read_report_file(const std::string& file);

}  // namespace loopbench::bench
