// Adds a new report to the history, for `run --history`.
#pragma once

#include <string>

#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Creates the history if it does not exist. Throws usage_error or database_error if the history cannot be
/// opened or created. Call this function before the run, so that an error in --history is reported early.
void prepare_history(const std::string& place);

/// Adds the report with the git commit of the current folder, and prints the run's number in the history.
/// Does not add the report of an interrupted run, because the user can still resume that run. Throws
/// database_error if the history cannot be written.
void keep_report(const reports::report& report, const std::string& place);

/// Returns the word; if the word is a PostgreSQL URL, without the password. Command lines and messages must
/// not contain passwords, because reports and CI logs are published.
std::string without_password_in(const std::string& word);

}  // namespace loopbench::bench
