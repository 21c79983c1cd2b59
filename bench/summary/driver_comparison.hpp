// Whether io_uring is worth it: the best contender on it against the best on epoll.
#pragma once

#include "bench/experiment/samples.hpp"
#include "bench/statistics/verdict.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

/// On each workload, of the contenders that say io_uring for their driver in their context the one with the
/// smallest median time has its time and its CPU compared with those of the like one of epoll: in pairs
/// within blocks, judged by the rule of the other verdicts, each metric as a family over all workloads. So it
/// is known more exactly than from the two ratios to a third one. Floors are no choice of anybody's and are
/// left out. Who is the best is taken from the same numbers as how much better it is.
///
/// `samples` are what the report is of.
void compare_drivers(reports::report& report, const verdict_rule& rule, const run_plan& plan,
                     const sample_table& samples);

}  // namespace loopbench::bench
