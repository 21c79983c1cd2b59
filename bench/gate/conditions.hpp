// Whether two reports were made under conditions that can be compared: as much work, the same machine, alike
// builds.
#pragma once

#include <string>
#include <vector>

#include "reports/results.hpp"

namespace loopbench::bench {

/// Throws usage_error when the reports are of different sizes of the workloads: then nothing in them can be
/// compared. A report of before the plan was written is not refused. The names are those of the files.
void refuse_other_size(const reports::report& then, const std::string& then_name, const reports::report& now,
                       const std::string& now_name);

/// Why a time that was measured in one way cannot be compared with one that was in another.
std::string made_otherwise(reports::way then, reports::way now);

/// A warning for each other condition that differs: what the plan says of trials, the machine, and how
/// contenders that are in both describe themselves (parity.hpp).
std::vector<reports::warning> other_conditions(const reports::report& then, const reports::report& now);

}  // namespace loopbench::bench
