#pragma once

#include <vector>

#include "bench/harness/experiment/samples.hpp"
#include "bench/harness/statistics/verdict.hpp"
#include "bench/harness/summary/result_laws.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

bool is_limited_by_floors(std::string_view metric);

/// A contender counts as impossibly fast only if it is faster than its floor by more than this share. The
/// contender and the floor are different programs, and code placement alone can change a time by 13 %
/// (measured with the same objects, linked in six orders).
inline constexpr double law_margin = 0.1;

/// Sets `times_floor`, a result's value divided by the best floor's value. The best floor has the smallest
/// median of the metric on the workload among all floors (reports::is_floor). `times_floor` is computed from
/// one ratio for each block, or for each round of interleaved times. It is absent if a sample is not above
/// zero, for example because a timer fired early.
///
/// Warns of contenders whose time or late_p50 is significantly below their floor. A contender's floor is the
/// floor with the same driver or the best floor if no floor has this driver. A warning contains the reason if
/// bench/catalog/floor_exceptions.hpp knows one.
///
/// Returns the results that are significantly below their floor, by more than law_margin and without a known
/// reason. For these results, the contender did too little work, or its time was measured wrongly.
///
/// `samples` are the samples of the report.
std::vector<broken_law> compare_with_floors(reports::report& report, const verdict_rule& rule,
                                            const run_plan& plan, const sample_table& samples);

}  // namespace loopbench::bench
