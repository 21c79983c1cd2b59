// The A/A: the baseline against itself. What a session calls a difference there is what it would call one anywhere.
#pragma once

#include <optional>
#include <vector>

#include "bench/engine/samples.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

/// Judges the twin's trials by the rules of the other verdicts, and corrects for their number so that even one false
/// difference is rare (Holm): a fit machine is called unfit in less than 5 % of runs. The session is unfit when the
/// twin is faster or slower on any workload, when single pairs spread by more than 15 %, or when more than half of
/// the trials were disturbed; it is not known to be fit while fewer than six blocks have finished. Nothing when the
/// plan has no twin.
std::optional<reports::self_check> check_self(const run_plan& plan, const run_outcome& outcome,
                                              const sample_table& samples);

/// A gate's exit and a run's exit: whether the session was found unfit.
bool is_unfit(const reports::report& report);

}  // namespace loopbench::bench
