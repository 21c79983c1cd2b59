// The A/A comparison: the baseline is measured twice. A session that finds a difference between these two
// measurements would find false differences between other contenders, too.
#pragma once

#include <optional>

#include "bench/harness/experiment/samples.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Judges the A/A copy's trials by the rules of the other verdicts. On a reliable machine nothing differs.
/// Benjamini and Hochberg's correction then keeps the chance of even one false difference below 5 %, as
/// Holm's correction would (it then equals R. J. Simes's test, Biometrika 73, 1986). If two of thirty
/// workloads differ, Benjamini and Hochberg's correction needs only ten blocks to detect that, while Holm's
/// correction could call no workload different.
///
/// The session is unreliable if the copy is faster or slower on any workload, or if more than half of the
/// trials were disturbed. The reliability is unknown if the check could not have detected an unreliable
/// machine: fewer than six blocks have finished, or the number of blocks is so small that more than half of
/// the workloads would have to differ. If the baseline has several layouts, a note says that the check covers
/// only the machine: with as many blocks as layouts, each layout is measured once as the baseline and once as
/// the copy, so that the effect of layouts cancels out. Returns nothing if the plan has no A/A copy.
std::optional<reports::self_check> check_self(const run_plan& plan, const run_outcome& outcome,
                                              const sample_table& samples);

/// Returns true if the session is unreliable. Gates and runs have an exit code for this case.
bool is_unreliable(const reports::report& report);

}  // namespace loopbench::bench
