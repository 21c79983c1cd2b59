// The A/A comparison: the baseline measured twice. A session that finds a difference there would find false
// ones anywhere.
#pragma once

#include <optional>

#include "bench/harness/experiment/samples.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Judges the A/A copy's trials by the rules of the other verdicts. On a reliable machine nothing differs, so
/// Benjamini and Hochberg's correction keeps the chance of even one false difference below 5 %, as Holm's
/// would (it then equals R. J. Simes's test, Biometrika 73, 1986). But it needs only ten blocks of thirty
/// workloads to detect a machine on which two differ, where Holm's could not call any different.
///
/// The session is unreliable if the copy is faster or slower on any workload, or if more than half of the
/// trials were disturbed. Its reliability is unknown if this could not have been detected: fewer than six
/// blocks have finished, or so few for the number of workloads that more than half of them would have to
/// differ. A baseline with several layouts gets a note that the check covers only the machine: if there are
/// as many blocks as layouts, each layout is measured once as the baseline and once as the copy, so that its
/// effect cancels out. Returns nothing if the plan has no A/A copy.
std::optional<reports::self_check> check_self(const run_plan& plan, const run_outcome& outcome,
                                              const sample_table& samples);

/// Returns true if the session was found unreliable; gates and runs then have their own exit code.
bool is_unreliable(const reports::report& report);

}  // namespace loopbench::bench
