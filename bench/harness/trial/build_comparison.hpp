// The build comparison. A ratio compares the loops of two contenders only if everything else is the same;
// otherwise the report must show the difference.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/machine/doctor.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Throws usage_error if contenders differ in build type, optimisation, assertions or sanitizers, because the
/// ratios would compare builds instead of loops. The message lists the contenders for each value and ends
/// with `other_remedy`. Contenders that do not state these properties are accepted; see
/// build_comparison_warnings().
void refuse_mixed_builds(std::span<const reports::contender> contenders, std::string_view other_remedy = {});

/// Returns the doctor's finding about the contenders' builds, based on their own descriptions.
finding diagnose_builds(std::span<const reports::contender> contenders);

/// Returns one warning for each other property in which contenders differ; the warning lists the groups with
/// equal values. A property that only some contenders state is a difference. A value that begins with "none"
/// is not compared, because the property does not apply to the contender. Contenders that state nothing at
/// all get one common warning. Another warning is added if the contenders are not release builds.
std::vector<reports::warning> build_comparison_warnings(std::span<const reports::contender> contenders);

}  // namespace loopbench::bench
