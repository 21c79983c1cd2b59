// The distance of every contender from the kernel's limit: each value as a multiple of a floor's value.
#pragma once

#include <vector>

#include "bench/harness/experiment/samples.hpp"
#include "bench/harness/statistics/verdict.hpp"
#include "bench/harness/summary/result_laws.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns true if the floors limit this metric: time, latencies and lateness.
bool is_limited_by_floors(std::string_view metric);

/// The share by which a contender can be faster than its floor without breaking a law. A tolerance is needed
/// because contender and floor are different programs, and code placement alone changes a time by several per
/// cent (the same objects, linked in six orders: -13 to +13 %).
inline constexpr double law_margin = 0.1;

/// Gives every result of a limited metric its multiple of the best floor's value. The best floor is the floor
/// (reports::is_floor) with the smallest median of the metric on the workload. The multiple is the median of
/// the quotients within blocks, or within rounds of blocks for interleaved times, with its interval. A result
/// has no multiple if a value is not above zero, for example because a timer fired early.
///
/// Warns of contenders whose time or late_p50 is significantly below the value of their floor: the floor with
/// the same driver, or the best floor if no floor has this driver. The verdicts follow the rule of the other
/// verdicts, with a correction for the number of comparisons. The warnings contain the reason if it is known
/// (bench/catalog/floor_exceptions.hpp).
///
/// Returns the results that are below their floor by more than law_margin, significantly and without a known
/// reason. Such a contender did less work than the workload demands, or its time was measured wrongly.
///
/// `samples` are the samples of the report.
std::vector<broken_law> compare_with_floors(reports::report& report, const verdict_rule& rule,
                                            const run_plan& plan, const sample_table& samples);

}  // namespace loopbench::bench
