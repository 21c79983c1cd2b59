#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns the properties of this machine. Does not throw: a value that cannot be read is absent or
/// "unknown".
reports::environment read_environment();

std::vector<std::pair<std::string_view, std::string>> facts_of(const reports::environment& where);

/// Returns an identity that no other machine has, for the journals of shards. Throws std::runtime_error if
/// the kernel provides no such identity.
std::string machine_identity();

/// Returns the CPUs on which this process can run, or an empty vector if the kernel does not report them.
std::vector<int> allowed_cpus();

/// Returns the folder in the environment variable `variable` if it is an absolute path, otherwise the folder
/// `in_home` of $HOME (XDG Base Directory Specification), otherwise nothing.
std::optional<std::filesystem::path> user_folder(const char* variable, const char* in_home);

const char* loopbench_version();

}  // namespace loopbench::bench
