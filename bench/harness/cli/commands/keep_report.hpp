#pragma once

#include <string>

#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Creates the history if it does not exist. Throws usage_error or database_error if the history cannot be
/// opened or created. Must be called before the run, so that an error in --history is reported early.
void prepare_history(const std::string& place);

/// Adds the report and the git commit of the current folder to the history, and prints the number of the new
/// run. Does not add an interrupted run, because the user can still resume it. Throws database_error if the
/// history cannot be written.
void keep_report(const reports::report& report, const std::string& place);

/// If the word is a PostgreSQL URL, returns it without its password. Reports and CI logs contain command
/// lines, and are often published.
std::string without_password_in(const std::string& word);

}  // namespace loopbench::bench
