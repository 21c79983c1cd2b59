// Determines the number of blocks that a precision needs.
#pragma once

#include <cstdint>
#include <span>

#include "bench/harness/experiment/runner.hpp"

namespace loopbench::bench {

/// After this number of blocks (the pilot), a run with --precision decides once how many blocks it will run
/// in total.
///
/// A decision after each block would be wrong in two ways, which tests/statistics/stopping_test.cpp
/// simulates. A run that stops as soon as it sees a difference reports nonexistent differences in far more
/// than 5 % of cases. A run that stops as soon as its intervals are narrow also stops when they are narrow by
/// chance; these intervals cover the truth in 92.5 % of cases instead of 95 %. Two stages avoid the first
/// error and almost avoid the second: the spread of the pilot's results determines the number of blocks, and
/// later results do not change that number (C. Stein, "A Two-Sample Test for a Linear Hypothesis Whose Power
/// Is Independent of the Variance", Ann. Math. Statist. 16, 1945). The intervals then cover the truth in 94 %
/// of cases. Additional blocks do not increase this to 95 %, because the interval includes the pilot's own
/// pairs.
inline constexpr std::uint64_t pilot_blocks = 30;

/// Returns the number of blocks, at least pilot_blocks, after which the interval of the median of
/// `log_ratios` should extend by at most `precision_pct` to either side. The estimate assumes that the width
/// of the interval falls with the square root of the number of blocks.
std::uint64_t blocks_for(std::span<const double> log_ratios, double precision_pct);

/// Returns the number of blocks before any result is known: the plan's number or, with a precision, the
/// pilot's. With a precision and layouts, the number never exceeds the number of layout pairs. The interval
/// is that of the pairs, and more blocks with the same pairs do not make it narrower.
std::uint64_t blocks_at_first(const run_plan& plan);

/// Returns the total number of blocks, decided after the pilot: enough for the precision of every contender's
/// `time` ratio to the baseline, and at most the plan's number. Ignores trials after the pilot, so that a
/// resumed run makes the same decision.
std::uint64_t blocks_after_pilot(const run_plan& plan, const run_outcome& outcome);

}  // namespace loopbench::bench
