// What measuring costs a workload, and whether its time is a time per operation at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "bench/engine/counted.hpp"
#include "bench/engine/plan.hpp"
#include "bench/engine/trial.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

/// t(2N)/t(N) is from here to there when time grows with the work (field experience of compilers that remove
/// it: google/benchmark#2037).
inline constexpr double doubling_least = 1.9, doubling_most = 2.1;

/// From the sixth on a median has an interval of 95 % (sign_test.hpp).
inline constexpr std::size_t fewest_triples = 6, most_triples = 40;

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

/// Warns of each cell whose doubling is not within its bounds, with all of its interval.
void warn_of_doubling(reports::report& report, std::span<const counted_cell> cells);

}  // namespace loopbench::bench
