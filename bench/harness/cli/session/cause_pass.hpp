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
/// most a minute or a tenth of `spent`. With profiles, at most four minutes or a third of `spent` more.
std::chrono::nanoseconds time_for_causes(const run_plan& plan, std::chrono::nanoseconds spent);

/// Looks for the causes of all significant slowdowns in the report, the greatest slowdown first. Shows its
/// progress. Returns nothing if no benchmark is slower. Must be called from the main thread.
std::optional<std::vector<reports::slowdown_cause>> find_causes(const reports::report& report,
                                                                const run_plan& plan,
                                                                const time_for_pass& time);

}  // namespace loopbench::bench
