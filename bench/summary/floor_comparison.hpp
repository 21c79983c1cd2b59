// How far every contender is from what the kernel allows: each value as a multiple of the floor's.
#pragma once

#include <vector>

#include "bench/experiment/samples.hpp"
#include "bench/statistics/verdict.hpp"
#include "bench/summary/cell_laws.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

/// Whether a value of this metric has a limit that a floor shows: time, latencies and lateness.
bool is_limited_by_floors(std::string_view metric);

/// By how much a contender may be faster than its kind of floor. Both are programs, and code placement alone moves
/// a time by several per cent (the same objects linked in six orders: -13 to +13 %).
inline constexpr double law_margin = 0.1;

/// Gives every result of such a metric its multiple of the best floor (reports::is_floor): of the contenders
/// that are floors, the one with the smallest median of that metric on that workload. The multiple is the
/// median of the quotients within blocks, of times in turns that of the blocks' rounds, with its interval. A
/// quotient by or of what is not above zero (a timer that was early) does not exist, and then there is none.
///
/// Warns of the contenders whose time or late_p50 is below that of their kind of floor (the one with the same
/// driver, otherwise the best floor), by the rule of the other verdicts and corrected for the number of these
/// comparisons, with the reason where one is known (bench/floor_exceptions.hpp).
///
/// Returns those that are certainly below it by more than law_margin and have no known reason: less work was done
/// than the workload asks for, or it was timed wrongly.
///
/// `samples` are what the report is of.
std::vector<broken_law> compare_with_floors(reports::report& report, const verdict_rule& rule,
                                            const run_plan& plan, const sample_table& samples);

}  // namespace loopbench::bench
