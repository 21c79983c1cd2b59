// Measures the measurement overhead of a workload, and checks that the time of the workload is proportional
// to the number of operations.
#pragma once

#include <string>

#include "bench/harness/experiment/counted.hpp"
#include "bench/harness/experiment/plan.hpp"
#include "bench/harness/trial/run_trial.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Runs the workload in triples of processes: N operations, then 2N operations, then N operations without
/// recording. Only the first `fewest_triples` triples contain the third process. N is chosen such that N
/// operations take about 200 ms, according to the median time in the report. In an interleaved trial, the
/// timed part of each slice is doubled instead of the number of operations. Runs at least fewest_triples and
/// at most most_triples triples, and stops when the interval of `doubling` is completely inside or completely
/// outside its bounds. A noisy machine needs more triples. The result has two metrics; each is the median of
/// its samples, one per triple:
///
/// - doubling: t(2N)/t(N), for workloads with a throughput.
/// - recording: the time per operation with recording of latencies, divided by the time per operation without
///   it, for workloads with latencies.
///
/// `missing` contains the reason for an absent metric or a failed trial. If the workload has neither a
/// throughput nor latencies, returns an empty result and runs nothing. If `executor` reports an interrupt,
/// both metrics are absent.
counted_result overhead_of(const contender& who, const std::string& workload, const reports::report& report,
                           const run_plan& plan, trial_executor& executor);

}  // namespace loopbench::bench
