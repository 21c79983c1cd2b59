// Shows whether io_uring is faster than epoll: compares the fastest contender on io_uring with the fastest
// contender on epoll.
#pragma once

#include "bench/harness/experiment/samples.hpp"
#include "bench/harness/statistics/verdict.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Compares two contenders on each workload, in time and CPU: the contender with the smallest median time
/// among those whose context names io_uring as the driver, and the same for epoll. The same numbers serve for
/// choosing the two contenders and for comparing them. The pairs are within blocks. The verdicts follow the
/// rule of all other verdicts, and the comparisons of one metric on all workloads form a family. The direct
/// comparison is more precise than comparing both contenders with a third one. Floors are left out, because
/// users cannot choose a floor as their runtime.
///
/// `samples` are the samples of the report.
void compare_drivers(reports::report& report, const verdict_rule& rule, const run_plan& plan,
                     const sample_table& samples);

}  // namespace loopbench::bench
