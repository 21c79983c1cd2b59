// What a report means for a build: findings, from the verdicts that are in it.
#pragma once

#include <vector>

#include "bench/gate/finding.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

/// What outranks every comparison: cells that failed, a session that is unfit, and cells that were never
/// reached. Empty when there is none of it.
std::vector<gate_finding> judge_session(const reports::report& report);

/// The same, and then a finding for the `time` of every cell that has a ratio to the baseline, unless the
/// session is unfit.
///
/// One that is not slower has to rule a slowdown of more than `tolerated_pct` out with its whole interval,
/// and none that the baseline has a time for may be without one: that nothing was found is no pass unless
/// something could have been.
std::vector<gate_finding> judge_gate(const reports::report& report, double tolerated_pct);

}  // namespace loopbench::bench
