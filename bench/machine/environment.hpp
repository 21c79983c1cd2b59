// The machine and the moment, for the report's head.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/results.hpp"

namespace loopbench::bench {

/// As it is now. What cannot be read is left out or says "unknown"; nothing here fails.
reports::environment read_environment();

/// What of a machine decides how fast anything is: each thing's name, and what it is there. The names are the
/// same of all machines, in the same order.
std::vector<std::pair<std::string_view, std::string>> facts_of(const reports::environment& where);

/// What tells this machine from all others, for the records of shards. Throws std::runtime_error where the
/// kernel does not say it.
std::string machine_identity();

/// The version of this build.
const char* loopbench_version();

}  // namespace loopbench::bench
