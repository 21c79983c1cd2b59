// The A/A: the baseline against itself. What a session calls a difference there is what it would call one
// anywhere.
#pragma once

#include <optional>

#include "bench/experiment/samples.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

/// Judges the twin's trials by the rules of the other verdicts. As nothing differs on a fit machine,
/// Benjamini and Hochberg's correction keeps the chance of even one false difference below 5 %, like Holm's
/// would (it then is R. J. Simes's test, Biometrika 73, 1986); but ten blocks of thirty workloads, of which
/// Holm's could never call any different, are enough for it to see a machine on which two are. The session is
/// unfit when the twin is faster or slower on any workload, or
/// when more than half of the trials were disturbed. It is not known to be fit while that could not have been
/// seen: fewer than six blocks have finished, or so few for so many workloads that more than half of them
/// would have to differ. Of a baseline in several layouts it is told that this is about the machine alone:
/// where there are as many blocks as layouts, each is measured once as the baseline's and once as the twin's,
/// so that what it does cancels out. Nothing when the plan has no twin.
std::optional<reports::self_check> check_self(const run_plan& plan, const run_outcome& outcome,
                                              const sample_table& samples);

/// A gate's exit and a run's exit: whether the session was found unfit.
bool is_unfit(const reports::report& report);

}  // namespace loopbench::bench
