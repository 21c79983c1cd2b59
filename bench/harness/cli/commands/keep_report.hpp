// Adds a new report to the history, for `run --history`.
#pragma once

#include <string>

#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Throws usage_error or database_error if the history could not accept a report later. Creates a missing
/// history.
void prepare_history(const std::string& place);

/// Adds the report, with the git commit of the current folder, and prints the number of the run. Does not add
/// the report of an interrupted run, because the resumed run will have more.
void keep_report(const reports::report& report, const std::string& place);

/// Removes the password of a URL from a word of a command line or of a message: reports and CI logs are
/// shared.
std::string without_password_in(const std::string& word);

}  // namespace loopbench::bench
