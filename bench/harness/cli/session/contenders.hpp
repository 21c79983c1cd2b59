// Finds the contenders for a command.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "bench/harness/trial/contender_list.hpp"

namespace loopbench::bench {

/// The time limit for a contender process that lists its workloads or describes itself.
inline constexpr std::chrono::seconds probe_limit{20};

/// Returns every contender in the default folder (if that folder exists) and in `more_folders`. Does not
/// start the contenders; therefore their lists of workloads are empty. Throws usage_error if a folder of
/// `more_folders` does not exist, or if no folder contains a contender.
std::vector<contender> contenders_in(const std::vector<std::string>& more_folders);

/// Does the same as contenders_in(), but returns an empty vector if there is no contender.
std::vector<contender> any_contenders_in(const std::vector<std::string>& more_folders);

/// Throws usage_error if a contender folder contains a file that has one of these names but is not
/// executable.
void refuse_not_executable(const std::vector<std::string>& names,
                           const std::vector<std::string>& more_folders);

/// Throws usage_error if a pattern matches none of `names` but matches a contender of this repository. The
/// message says that this contender is not built.
void refuse_not_built(const std::vector<std::string>& patterns, const std::vector<std::string>& names);

/// Returns the workloads of all contenders without duplicates, in the order of the first occurrence.
std::vector<std::string> workloads_of(const std::vector<contender>& contenders);

std::vector<std::string> names_of(const std::vector<contender>& contenders);

}  // namespace loopbench::bench
