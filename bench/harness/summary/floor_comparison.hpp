// Shows the distance of every contender from the kernel's limit: expresses each value as a multiple of a
// floor's value.
#pragma once

#include <vector>

#include "bench/harness/experiment/samples.hpp"
#include "bench/harness/statistics/verdict.hpp"
#include "bench/harness/summary/result_laws.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns true for metrics whose values floors limit: time, latencies and lateness.
bool is_limited_by_floors(std::string_view metric);

/// The share by which a contender can be faster than its floor without being reported as impossible. This
/// margin is needed because a contender and its floor are different programs, and code placement alone can
/// change a time by 13 % (measured with the same objects, linked in six orders).
inline constexpr double law_margin = 0.1;

/// Sets `times_floor` of every result whose metric is limited by floors: the result's multiple of the best
/// floor's value. The best floor is the floor (reports::is_floor) with the smallest median of the metric on
/// the workload. The multiple is the median, with its interval, of one ratio for each block, or for each
/// round of interleaved times. A result has no multiple if a sample is not above zero, for example because a
/// timer fired early.
///
/// Adds warnings about contenders whose time or late_p50 is significantly below the value of their floor. A
/// contender's floor is the floor with the same driver, or the best floor if no floor has this driver. The
/// verdicts follow the rule of all other verdicts, with a correction for the number of comparisons. A warning
/// contains the reason if bench/catalog/floor_exceptions.hpp knows one.
///
/// Returns the results that are significantly below their floor, by more than law_margin and without a known
/// reason. In such a result, the contender did less work than the workload demands, or its time was measured
/// wrongly.
///
/// `samples` are the samples of the report.
std::vector<broken_law> compare_with_floors(reports::report& report, const verdict_rule& rule,
                                            const run_plan& plan, const sample_table& samples);

}  // namespace loopbench::bench
