#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/trial/contender_list.hpp"

namespace loopbench::bench {

inline constexpr std::chrono::seconds probe_limit{20};

/// Lists the workloads of a contender for a command that started at `started`. All listings of the command
/// share half of the budget. Each has at least five seconds, so that contenders can also start on a busy
/// machine. Sets the contender's `problem` if that fails.
void list_within_budget(contender& who, workload_size size, std::optional<std::chrono::nanoseconds> budget,
                        std::chrono::steady_clock::time_point started, int stop_fd);

/// Returns the contenders in the default folder and in `more_folders`. Does not start them, so their lists of
/// workloads are empty. Throws usage_error if a folder does not exist or if there is no contender.
std::vector<contender> contenders_in(const std::vector<std::string>& more_folders);

std::vector<contender> any_contenders_in(const std::vector<std::string>& more_folders);

void refuse_not_executable(const std::vector<std::string>& names,
                           const std::vector<std::string>& more_folders);

inline constexpr std::string_view remedy_for_not_built =
    "`make bench` builds only the headline contenders, and `cmake --build --preset release --target suite` "
    "builds all of them if their libraries are installed";

/// Returns the first of the `known` names that a pattern matches, if this pattern matches none of `names`.
std::optional<std::string_view> only_known(const std::vector<std::string>& patterns,
                                           const std::vector<std::string>& names,
                                           const std::vector<std::string_view>& known);

/// Throws usage_error if a pattern matches none of `names` (the contenders that exist) but matches a
/// contender that this repository can build. The message says how to build it.
void refuse_not_built(const std::vector<std::string>& patterns, const std::vector<std::string>& names);

/// Returns the workloads that at least one contender except `except` lists: first those of the suite, in the
/// order of its table, and then the others, in the order of the contenders.
std::vector<std::string> workloads_of(const std::vector<contender>& contenders, std::string_view except = {});

std::vector<std::string> names_of(const std::vector<contender>& contenders);

}  // namespace loopbench::bench
