// Checks whether two reports were made under comparable conditions: the same amount of work, the same
// machine, and similar builds.
#pragma once

#include <string>
#include <vector>

#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Throws usage_error if the reports have different sizes of the workloads: nothing in them can then be
/// compared. A report without a plan, which another
/// program measured, is accepted. The names are those of the files.
void refuse_other_size(const reports::report& then, const std::string& then_name, const reports::report& now,
                       const std::string& now_name);

/// Returns why times of two pairings cannot be compared.
std::string made_otherwise(reports::pairing then, reports::pairing now);

/// Returns a warning for each other differing condition: the plan's settings for trials, the machine, and the
/// descriptions of contenders that are in both (build_comparison.hpp).
std::vector<reports::warning> other_conditions(const reports::report& then, const reports::report& now);

}  // namespace loopbench::bench
