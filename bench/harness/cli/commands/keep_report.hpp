// Adds a new report to the history, for `run --history`.
#pragma once

#include <string>

#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Opens the history, and creates it if it does not exist. Throws usage_error or database_error if that
/// fails, so that the error is reported before the run.
void prepare_history(const std::string& place);

/// Adds the report with the git commit of the current folder, and prints the run's number in the history.
/// Does not add the report of an interrupted run, because that run can be resumed and completed.
void keep_report(const reports::report& report, const std::string& place);

/// Removes the password of a URL from a word of a command line or of a message, because reports and CI logs
/// are published.
std::string without_password_in(const std::string& word);

}  // namespace loopbench::bench
