// The measurement overhead of a workload, and whether its time is proportional to the number of operations.
#pragma once

#include <string>

#include "bench/harness/experiment/counted.hpp"
#include "bench/harness/experiment/plan.hpp"
#include "bench/harness/trial/run_trial.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Runs the workload in triples of processes, alternating: N operations, 2N operations, and, in the first
/// fewest_triples of them, N without recording. N takes about 200 ms, according to the median in the report.
/// Further triples follow, up to most_triples, until the interval of `doubling` lies within its bounds or
/// beyond one of them: a machine that takes away time at random needs more. Metrics of the result, each the
/// median of its samples, one per triple:
///
/// - doubling: t(2N)/t(N), for workloads with a throughput.
/// - recording: time per operation with recording over without, for workloads with latencies.
///
/// `missing` has the reasons for absent metrics and for every failed trial. If neither metric applies,
/// returns an empty result without running anything. If `executor` reports an interrupt, the rest is absent.
counted_result overhead_of(const contender& who, const std::string& workload, const reports::report& report,
                           const run_plan& plan, trial_executor& executor);

}  // namespace loopbench::bench
