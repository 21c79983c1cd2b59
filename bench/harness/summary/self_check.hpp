// The baseline and its A/A copy are the same program. A session that finds a difference between them would
// find false differences between other contenders, too.
#pragma once

#include <optional>

#include "bench/harness/experiment/samples.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Compares the baseline with its A/A copy, or returns nothing if the plan has no A/A copy. Uses Benjamini
/// and Hochberg's correction. If no workload differs, this correction keeps the chance of even one false
/// difference below 5 % (R. J. Simes, Biometrika 73, 1986). If two of thirty workloads differ, ten blocks are
/// enough to find a difference; with Holm's correction, they are not.
///
/// The session is unreliable if the copy differs on any workload, or if more than half of the workloads were
/// disturbed in more than half of their trials. The reliability is unknown with fewer than six blocks, or if
/// a difference would be significant only if more than half of the workloads differed. With layouts, the
/// check covers only the machine, because the effect of the layouts cancels out.
std::optional<reports::self_check> check_self(const run_plan& plan, const run_outcome& outcome,
                                              const sample_table& samples);

bool is_unreliable(const reports::report& report);

}  // namespace loopbench::bench
