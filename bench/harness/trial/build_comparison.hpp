// A ratio compares the loops of two contenders only if everything else is the same. Therefore the report must
// show every other difference between the contenders' builds.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/machine/doctor.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Throws usage_error if contenders differ in build type, optimisation, assertions or sanitizers; the message
/// ends with `other_remedy`. Accepts contenders that do not state these properties.
void refuse_mixed_builds(std::span<const reports::contender> contenders, std::string_view other_remedy = {});

finding diagnose_builds(std::span<const reports::contender> contenders);

/// Returns a warning for each property or socket option that differs between contenders or that only some
/// contenders state. Ignores a value that begins with "none", because the property does not apply to that
/// contender. Also warns of contenders that state no property, are not release builds, or are slowed down on
/// purpose.
std::vector<reports::warning> build_comparison_warnings(std::span<const reports::contender> contenders);

}  // namespace loopbench::bench
