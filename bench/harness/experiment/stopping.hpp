// The number of blocks that a precision needs.
#pragma once

#include <cstdint>
#include <span>

#include "bench/harness/experiment/runner.hpp"

namespace loopbench::bench {

/// A run with --precision decides once, after this number of blocks, how many it will do.
///
/// A run that checked after each block, and stopped as soon as it saw a difference, would report differences
/// that do not exist in far more than 5 % of cases. A run that stops as soon as its intervals are narrow also
/// stops when they are narrow by chance, and they then cover the truth in 92.5 % of cases instead of 95 %
/// (both simulated in tests/statistics/stopping_test.cpp). Two stages avoid the first fault and almost avoid
/// the second (94 %; more blocks do not reach 95 %, because the interval includes the pilot's own pairs): the
/// pilot's spread fixes the number of blocks, and later results do not change it (C. Stein, "A Two-Sample
/// Test for a Linear Hypothesis Whose Power Is Independent of the Variance", Ann. Math. Statist. 16, 1945).
inline constexpr std::uint64_t pilot_blocks = 30;

/// Returns how many blocks are needed for an interval of the median of `log_ratios` that reaches at most
/// `precision_pct` to either side: its width falls with the square root of the number of blocks. At least
/// pilot_blocks.
std::uint64_t blocks_for(std::span<const double> log_ratios, double precision_pct);

/// Returns the number of blocks before any result is known: the plan's own or, with a precision, the pilot's.
/// With a precision and layouts, it never exceeds the number of layout pairs: the interval covers the pairs,
/// and more blocks with the same pairs do not make it narrower.
std::uint64_t blocks_at_first(const run_plan& plan);

/// Returns the number of blocks after the pilot: enough for the ratios of every contender's `time` to the
/// baseline, and at most the plan's own number. Ignores trials after the pilot, so that a resumed run makes
/// the same decision.
std::uint64_t blocks_after_pilot(const run_plan& plan, const run_outcome& outcome);

}  // namespace loopbench::bench
