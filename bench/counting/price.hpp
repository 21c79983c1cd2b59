// What measuring costs a workload, and whether its time is a time per operation at all.
#pragma once

#include <string>

#include "bench/experiment/counted.hpp"
#include "bench/experiment/plan.hpp"
#include "bench/trial/trial.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

/// Runs the cell in triples of processes, in turn: N operations, 2N operations, and, in the first
/// fewest_triples of them, N without recording. N takes some 200 ms, by the cell's median in the report. More
/// follow, up to most_triples, until the interval of `doubling` is within its bounds or beyond one: a machine
/// that takes time away at random needs more. Metrics of the result, each the median of its samples, which
/// are the triples:
///
/// - doubling: t(2N)/t(N), of cells that have a throughput.
/// - recording: time per operation with recording over without, of cells that have latencies.
///
/// What cannot be had is in `missing`, and so is every reason why a trial failed. A cell with neither metric
/// gives an empty result without running anything. What is left when `executor` reports an interrupt is not
/// in the result.
counted_cell price_of(const contender& who, const std::string& workload, const reports::report& report,
                      const run_plan& plan, trial_executor& executor);

}  // namespace loopbench::bench
