// Measures the measurement overhead of a workload, and checks that its time is proportional to the number of
// operations.
#pragma once

#include <string>

#include "bench/harness/experiment/counted.hpp"
#include "bench/harness/experiment/plan.hpp"
#include "bench/harness/trial/run_trial.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Runs the workload in triples of processes: N operations, then 2N operations, then N operations without
/// recording. Only the first fewest_triples contain the third process. N operations take about 200 ms,
/// according to the median in the report. After the first fewest_triples, further triples follow, up to
/// most_triples in total, until the interval of `doubling` is completely inside or completely outside its
/// bounds. A noisy machine needs more triples. The result has two metrics. Each is the median of its samples,
/// one sample per triple:
///
/// - doubling: t(2N)/t(N), for workloads with a throughput.
/// - recording: the time per operation with recording, divided by the time without, for workloads with
///   latencies.
///
/// `missing` contains the reason for an absent metric or a failed trial. If neither metric applies, the
/// function returns an empty result without running anything. If `executor` reports an interrupt, both
/// metrics are absent.
counted_result overhead_of(const contender& who, const std::string& workload, const reports::report& report,
                           const run_plan& plan, trial_executor& executor);

}  // namespace loopbench::bench
