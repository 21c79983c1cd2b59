#pragma once

#include <string>

#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Creates the history if it does not exist. Throws usage_error or database_error if the history cannot be
/// opened or created. Must be called before the run, so that an error in --history is reported early.
void prepare_history(const std::string& place);

/// Adds the report with the git commit of the current folder, and prints the number of the new run. Skips an
/// interrupted run, because the user can still resume it. Throws database_error if the history cannot be
/// written.
void keep_report(const reports::report& report, const std::string& place);

/// Removes the password from a PostgreSQL URL. Reports and CI logs contain command lines and are often
/// published.
std::string without_password_in(const std::string& word);

}  // namespace loopbench::bench
