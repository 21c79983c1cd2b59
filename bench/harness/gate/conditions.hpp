// Checks whether two reports were made under comparable conditions: the same amount of work, the same
// machine, and similar builds.
#pragma once

#include <string>
#include <vector>

#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Throws usage_error if the workloads of the reports have different sizes, because no result can then be
/// compared. Accepts a report without a plan, which another program measured. `then_name` and `now_name` are
/// the names of the files.
void refuse_other_size(const reports::report& then, const std::string& then_name, const reports::report& now,
                       const std::string& now_name);

/// Returns a sentence that explains why times of two pairings cannot be compared.
std::string made_otherwise(reports::pairing then, reports::pairing now);

/// Returns a warning for each differing condition apart from the size: the plan's settings for trials, the
/// machine, and the descriptions of the contenders that are in both reports (build_comparison.hpp).
std::vector<reports::warning> other_conditions(const reports::report& then, const reports::report& now);

}  // namespace loopbench::bench
