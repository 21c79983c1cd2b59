// Judges the A/A comparison: the baseline and its A/A copy are the same program. A session that finds a
// difference between the two would find false differences between other contenders, too.
#pragma once

#include <optional>

#include "bench/harness/experiment/samples.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Judges the A/A copy by the rules of the other verdicts, with Benjamini and Hochberg's correction. On a
/// reliable machine, no workload differs. This correction then keeps the chance of even one false difference
/// below 5 %, as Holm's correction would, because it then equals R. J. Simes's test (Biometrika 73, 1986). If
/// two of thirty workloads differ, ten blocks are enough to find the difference. With Holm's correction, ten
/// blocks would find no difference.
///
/// The session is unreliable if the copy is faster or slower on any workload, or if more than half of the
/// trials were disturbed. The reliability is unknown if the check could not have detected an unreliable
/// machine. This is the case if fewer than six blocks have finished, or if a difference would be significant
/// only if more than half of the workloads differed. If the baseline has layouts, `reason` says that the
/// check covers only the machine. The effect of layouts cancels out: with as many blocks as layouts, each
/// layout is measured once as the baseline and once as the copy. Returns nothing if the plan has no A/A copy.
std::optional<reports::self_check> check_self(const run_plan& plan, const run_outcome& outcome,
                                              const sample_table& samples);

/// Returns true if the report's session is unreliable (exit code 5).
bool is_unreliable(const reports::report& report);

}  // namespace loopbench::bench
