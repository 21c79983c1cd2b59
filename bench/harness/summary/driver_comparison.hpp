// Compares the fastest contender with the driver io_uring with the fastest contender with the driver epoll.
#pragma once

#include "bench/harness/experiment/samples.hpp"
#include "bench/harness/statistics/verdict.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Compares two contenders on each workload, in the metrics time and cpu. The first contender has the
/// smallest median time of all contenders whose context names io_uring as the driver. The second contender is
/// chosen in the same way for epoll. The same samples are used for the choice and for the comparison. The two
/// samples of each pair come from the same block. The verdicts follow the rule of all other verdicts, and the
/// comparisons of one metric on all workloads form a family. This direct comparison is more precise than two
/// comparisons with a third contender. Floors are ignored, because users cannot choose a floor as their
/// runtime.
///
/// `samples` are the samples of the report.
void compare_drivers(reports::report& report, const verdict_rule& rule, const run_plan& plan,
                     const sample_table& samples);

}  // namespace loopbench::bench
