#pragma once

#include "bench/harness/experiment/samples.hpp"
#include "bench/harness/statistics/verdict.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Compares the fastest contender with io_uring and the fastest contender with epoll, on each workload and in
/// the metrics time and cpu. Compares them directly by the samples of the same blocks, which is more precise
/// than two comparisons with a third contender. Ignores floors, because users cannot choose a floor as their
/// runtime. `samples` are the samples of the report.
void compare_drivers(reports::report& report, const verdict_rule& rule, const run_plan& plan,
                     const sample_table& samples);

}  // namespace loopbench::bench
