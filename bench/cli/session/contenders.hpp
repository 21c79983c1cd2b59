// The contenders that a command works on.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "bench/trial/contender_list.hpp"

namespace loopbench::bench {

/// How long a contender may take to say what it has and what it is.
inline constexpr std::chrono::seconds probe_limit{20};

/// Every contender in the default folder, where that exists, and in `more_folders`, without workloads: none
/// is started. Throws usage_error when a folder of `more_folders` is not there or when there is no contender
/// at all.
std::vector<contender> contenders_in(const std::vector<std::string>& more_folders);

/// The same, and it may be none.
std::vector<contender> any_contenders_in(const std::vector<std::string>& more_folders);

/// Throws usage_error when a contender of one of these names is there and cannot be run.
void refuse_not_executable(const std::vector<std::string>& names,
                           const std::vector<std::string>& more_folders);

/// Throws usage_error when a pattern matches none of the names, but a contender of this repository.
void refuse_not_built(const std::vector<std::string>& patterns, const std::vector<std::string>& names);

/// The workloads that any of them has, each once, in the order in which they are met.
std::vector<std::string> workloads_of(const std::vector<contender>& contenders);

std::vector<std::string> names_of(const std::vector<contender>& contenders);

}  // namespace loopbench::bench
