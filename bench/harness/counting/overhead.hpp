#pragma once

#include <string>

#include "bench/harness/experiment/counted.hpp"
#include "bench/harness/experiment/plan.hpp"
#include "bench/harness/trial/run_trial.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Runs triples of processes: with N operations, with 2N operations, and with N operations without recording.
/// N operations take about 200 ms according to the report's median time. The third process runs only in the
/// first `fewest_triples` triples. In an interleaved trial, the timed part of each slice is doubled instead
/// of the operations. Stops when the interval of `doubling` is completely inside or outside its bounds, at
/// the latest after most_triples triples.
///
/// `doubling` is the median of t(2N)/t(N), for workloads with a throughput. `recording` is the median of the
/// time per operation with recording of latencies, divided by the time without it, for workloads with
/// latencies. `missing` contains the reason for an absent metric or a failed trial. After an interrupt, both
/// metrics are absent.
counted_result overhead_of(const contender& who, const std::string& workload, const reports::report& report,
                           const run_plan& plan, trial_executor& executor);

}  // namespace loopbench::bench
