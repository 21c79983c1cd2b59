// Shows whether io_uring pays: compares the fastest contender on io_uring with the fastest on epoll.
#pragma once

#include "bench/harness/experiment/samples.hpp"
#include "bench/harness/statistics/verdict.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Compares, on each workload, the fastest contender whose context names io_uring as its driver with the
/// fastest on epoll (by median time), in time and CPU. The pairs are within blocks; the rule of the other
/// verdicts judges them, with each metric as a family over all workloads. This is more precise than comparing
/// both with a third contender. Floors are left out, because no user can choose them. The same numbers decide
/// which contender is the fastest and by how much.
///
/// `samples` are the samples of the report.
void compare_drivers(reports::report& report, const verdict_rule& rule, const run_plan& plan,
                     const sample_table& samples);

}  // namespace loopbench::bench
