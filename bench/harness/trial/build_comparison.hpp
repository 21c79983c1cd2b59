// The build comparison: checks that all contenders were built alike. A ratio compares the loops of two
// contenders only if everything else is the same. Therefore the report must show every other difference.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/machine/doctor.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Throws usage_error if contenders differ in build type, optimisation, assertions or sanitizers, because the
/// ratios would compare builds instead of loops. The message lists the contenders for each value of the
/// differing property and ends with `other_remedy`. Accepts contenders that do not state these properties;
/// see build_comparison_warnings().
void refuse_mixed_builds(std::span<const reports::contender> contenders, std::string_view other_remedy = {});

/// Returns the finding of `loopbench doctor` about the contenders' builds. Uses the contexts that the
/// contenders print.
finding diagnose_builds(std::span<const reports::contender> contenders);

/// Returns one warning for each property or socket option in which contenders differ; the warning lists the
/// contenders for each value. A property that only some contenders state counts as a difference. A value that
/// begins with "none" is not compared, because the property does not apply to that contender. Contenders that
/// state no property get one common warning. There is another warning if a contender is not a release build,
/// and one for contenders that are slowed down on purpose.
std::vector<reports::warning> build_comparison_warnings(std::span<const reports::contender> contenders);

}  // namespace loopbench::bench
