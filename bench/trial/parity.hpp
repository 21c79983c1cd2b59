// Whether the contenders were made alike. A ratio between two of them is about their loops only when
// everything else is the same, or the difference stands beside it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/machine/doctor.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

/// Throws usage_error when contenders differ in build type, optimisation, assertions or sanitizers: then the
/// numbers would compare builds. It says which contender has what, and ends with `other_remedy`. A contender
/// that does not tell is not refused; see parity_warnings().
void refuse_mixed_builds(std::span<const reports::contender> contenders, std::string_view other_remedy = {});

/// For a doctor: how the contenders were built, by what they say of themselves.
finding diagnose_builds(std::span<const reports::contender> contenders);

/// Every other difference: one warning for each thing in which contenders differ, with the groups that are
/// alike. A thing that some tell and others do not is a difference; a value that begins with "none" is not
/// compared, because the contender has no such thing. Contenders that tell nothing at all beside others that
/// do are one warning. Beside that, one when what all of them are is no release build.
std::vector<reports::warning> parity_warnings(std::span<const reports::contender> contenders);

}  // namespace loopbench::bench
