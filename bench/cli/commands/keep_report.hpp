// A report that was just measured goes into the history, as `run --history` asks for it.
#pragma once

#include <string>

#include "reports/results.hpp"

namespace loopbench::bench {

/// Throws usage_error or database_error when the history could not take it later. One that is missing is
/// begun.
void prepare_history(const std::string& place);

/// Adds the report, with the commit that git knows of the current folder, and says so. One of a run that was
/// interrupted is not added: it is not all of what its resumed run will be.
void keep_report(const reports::report& report, const std::string& place);

/// A word of a command line or of a message without the password that a URL in it has: reports and what CI
/// prints are made to be shared.
std::string without_password_in(const std::string& word);

}  // namespace loopbench::bench
