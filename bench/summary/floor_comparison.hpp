// How far every contender is from what the kernel allows: each value as a multiple of the floor's.
#pragma once

#include "bench/experiment/samples.hpp"
#include "bench/statistics/verdict.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

/// Whether a value of this metric has a limit that a floor shows: time, latencies and lateness.
bool is_limited_by_floors(std::string_view metric);

/// Gives every result of such a metric its multiple of the best floor (reports::is_floor): of the contenders
/// that are floors, the one with the smallest median of that metric on that workload. The multiple is the
/// median of the quotients within blocks, of times in turns that of the blocks' rounds, with its interval. A
/// quotient by or of what is not above zero (a timer that was early) does not exist, and then there is none.
///
/// Warns of the contenders whose time or late_p50 is below the best floor's, by the rule of the other
/// verdicts and corrected for the number of these comparisons, with the reason where one is known
/// (bench/floor_exceptions.hpp): either the floor has been beaten by other means, or somebody does less work.
///
/// `samples` are what the report is of.
void compare_with_floors(reports::report& report, const verdict_rule& rule, const run_plan& plan,
                         const sample_table& samples);

}  // namespace loopbench::bench
