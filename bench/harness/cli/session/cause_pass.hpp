// The pass that follows the trials of a comparison: it looks for the causes of slowdowns.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "bench/harness/counting/counted_benchmark.hpp"
#include "bench/harness/experiment/plan.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns the part of the budget that the trials leave for this pass: a tenth, or a third with profiles, but
/// not more than the pass needs. Returns 0 if the plan has no budget or no such pass.
std::chrono::nanoseconds reserved_for_causes(const run_plan& plan);

/// Returns the time for the pass after a session that has taken `spent`: what is left of the budget, but at
/// most a minute, or a tenth of `spent` if that is longer. With profiles, at most four minutes more, or a
/// third of `spent` if that is longer.
std::chrono::nanoseconds time_for_causes(const run_plan& plan, std::chrono::nanoseconds spent);

/// Returns the end of the time for one of the remaining benchmarks: an equal share, but at least ten seconds,
/// so that the greatest slowdowns get enough time.
time_for_pass::clock::time_point end_of_share(const time_for_pass& time, std::size_t remaining,
                                              time_for_pass::clock::time_point now);

/// Looks for the causes of all significant slowdowns in the report, the greatest slowdown first. Shows its
/// progress. Ends early after an interrupt. Returns nothing if no benchmark is slower. Must be called from
/// the main thread.
std::optional<std::vector<reports::slowdown_cause>> find_causes(const reports::report& report,
                                                                const run_plan& plan,
                                                                const time_for_pass& time);

}  // namespace loopbench::bench
