// The machine and the moment, for the report's head.
#pragma once

#include "reports/results.hpp"

namespace loopbench::bench {

/// As it is now. What cannot be read is left out or says "unknown"; nothing here fails.
reports::environment read_environment();

/// What tells this machine from all others, for the records of shards. Throws std::runtime_error where the
/// kernel does not say it.
std::string machine_identity();

/// The version of this build.
const char* loopbench_version();

}  // namespace loopbench::bench
