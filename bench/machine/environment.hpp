// The machine and the moment, for the report's head.
#pragma once

#include <filesystem>
#include <optional>
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

/// The CPUs that this process may run on; none where that is not known.
std::vector<int> allowed_cpus();

/// Where a user's files of a kind are: in the folder that `variable` names or, where that is no absolute
/// path, in `in_home` (XDG Base Directory Specification). Nothing when there is no home either.
std::optional<std::filesystem::path> user_folder(const char* variable, const char* in_home);

/// The version of this build.
const char* loopbench_version();

}  // namespace loopbench::bench
