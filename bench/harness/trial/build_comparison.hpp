// The build comparison. A ratio between two contenders is about their loops only if everything else is the
// same; otherwise the report must show the difference.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/machine/doctor.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Throws usage_error if contenders differ in build type, optimisation, assertions or sanitizers: the numbers
/// would compare builds. The message lists the contenders of each value and ends with `other_remedy`.
/// Contenders that do not state these properties are accepted; see build_comparison_warnings().
void refuse_mixed_builds(std::span<const reports::contender> contenders, std::string_view other_remedy = {});

/// Returns the doctor's finding on how the contenders were built, from their own descriptions.
finding diagnose_builds(std::span<const reports::contender> contenders);

/// Returns every other difference: one warning for each property in which contenders differ, with the groups
/// that have equal values. A property that only some contenders state is a difference; a value that begins
/// with "none" is not compared, because the property does not apply. Contenders that state nothing at all get
/// one common warning. Another warning says if the contenders are not release builds.
std::vector<reports::warning> build_comparison_warnings(std::span<const reports::contender> contenders);

}  // namespace loopbench::bench
