// The machine and the moment, for the head of a report.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns the current environment. Values that cannot be read are absent or "unknown"; never throws for
/// them.
reports::environment read_environment();

/// Returns the facts that decide how fast a machine is, as pairs of name and value. All machines have the
/// same names in the same order.
std::vector<std::pair<std::string_view, std::string>> facts_of(const reports::environment& where);

/// Returns an identity that no other machine has, for the records of shards. Throws std::runtime_error if the
/// kernel does not offer one.
std::string machine_identity();

/// Returns the CPUs that this process can run on, or none if they are not known.
std::vector<int> allowed_cpus();

/// Returns the folder of one kind of a user's files: the folder that `variable` names or, if that is not an
/// absolute path, `in_home` (XDG Base Directory Specification). Returns nothing if there is no home either.
std::optional<std::filesystem::path> user_folder(const char* variable, const char* in_home);

/// Returns the version of this build.
const char* loopbench_version();

}  // namespace loopbench::bench
