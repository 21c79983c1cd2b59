// Describes the machine and its current state, for the head of a report.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns the current environment. Does not throw: a value that cannot be read is absent or "unknown".
reports::environment read_environment();

/// Returns the facts that determine the speed of a machine, as pairs of a name and a value. The names and
/// their order are the same for all machines.
std::vector<std::pair<std::string_view, std::string>> facts_of(const reports::environment& where);

/// Returns an identity of this machine that no other machine has, for the records of shards. Throws
/// std::runtime_error if the kernel provides no such identity.
std::string machine_identity();

/// Returns the CPUs on which this process can run, or an empty vector if the kernel does not report them.
std::vector<int> allowed_cpus();

/// Returns the user's folder for one kind of files (XDG Base Directory Specification): the value of the
/// environment variable `variable` if that value is an absolute path, otherwise the folder `in_home` of
/// $HOME. Returns nothing if neither `variable` nor HOME contains an absolute path.
std::optional<std::filesystem::path> user_folder(const char* variable, const char* in_home);

const char* loopbench_version();

}  // namespace loopbench::bench
