// Checks whether two reports were made under comparable conditions: with the same amount of work, on the same
// machine, and with similar builds.
#pragma once

#include <string>
#include <vector>

#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Throws usage_error if the workloads of the reports have different sizes, because results of different
/// sizes cannot be compared. Accepts reports without a plan, which come from other programs. `then_name` and
/// `now_name` are the names of the files, for the message.
void refuse_other_size(const reports::report& then, const std::string& then_name, const reports::report& now,
                       const std::string& now_name);

/// Returns a sentence that explains why times with the pairing `then` cannot be compared with times with the
/// pairing `now`.
std::string made_otherwise(reports::pairing then, reports::pairing now);

/// Returns a warning for each difference between the two reports: in the plan's settings for trials, in the
/// machine, or in the description of a contender (build_comparison.hpp).
std::vector<reports::warning> other_conditions(const reports::report& then, const reports::report& now);

}  // namespace loopbench::bench
