// The distance of every contender from the kernel's limit: each value as a multiple of the floor's.
#pragma once

#include <vector>

#include "bench/harness/experiment/samples.hpp"
#include "bench/harness/statistics/verdict.hpp"
#include "bench/harness/summary/result_laws.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns true if a floor limits the values of this metric: time, latencies and lateness.
bool is_limited_by_floors(std::string_view metric);

/// The share by which a contender may be faster than the floor of its driver. Both are programs, and code
/// placement alone changes a time by several per cent (the same objects, linked in six orders: -13 to +13 %).
inline constexpr double law_margin = 0.1;

/// Gives every result of such a metric its multiple of the best floor: the contender that is a floor
/// (reports::is_floor) with the smallest median of that metric on that workload. The multiple is the median
/// of the quotients within blocks (for interleaved times, of the blocks' rounds), with its interval. There is
/// none if a value is not above zero (an early timer).
///
/// Warns of the contenders whose time or late_p50 is below that of their kind of floor (the one with the same
/// driver, otherwise the best floor), by the rule of the other verdicts, corrected for the number of these
/// comparisons, and with the reason if it is known (bench/catalog/floor_exceptions.hpp).
///
/// Returns those that are significantly below it by more than law_margin without a known reason: less work
/// was done than the workload demands, or it was timed wrongly.
///
/// `samples` are the samples of the report.
std::vector<broken_law> compare_with_floors(reports::report& report, const verdict_rule& rule,
                                            const run_plan& plan, const sample_table& samples);

}  // namespace loopbench::bench
