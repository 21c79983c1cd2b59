// How many blocks a precision needs.
#pragma once

#include <cstdint>
#include <span>

#include "bench/experiment/runner.hpp"

namespace loopbench::bench {

/// A run with --precision decides once, after this many blocks, how many it will do.
///
/// A run that looked after each block, and stopped as soon as it saw a difference, would see one where there
/// is none in far more than 5 % of cases; even one that stops as soon as its intervals are narrow stops where
/// they came out narrow by chance, and they then cover the truth in 92.5 % of cases instead of 95 (both
/// simulated in tests/statistics/stopping_test.cpp). Two stages have the first fault not at all and the
/// second hardly (94 %, which more blocks do not make 95: the pilot's own pairs are in the interval): the
/// pilot's spread fixes the number of blocks, and nothing seen later changes it (C. Stein, "A Two-Sample Test
/// for a Linear Hypothesis Whose Power Is Independent of the Variance", Ann. Math. Statist. 16, 1945).
inline constexpr std::uint64_t pilot_blocks = 30;

/// How many blocks make the interval of the median of `log_ratios` reach no further than `precision_pct` to
/// either side: an interval's width falls with the square root of the number of blocks. At least
/// pilot_blocks.
std::uint64_t blocks_for(std::span<const double> log_ratios, double precision_pct);

/// How many blocks the plan has before anything is known: its own, or with a precision the pilot's. With a
/// precision there are never more than pairs of layouts, where there are layouts: their interval is of the
/// pairs, and more blocks of the same ones make it no narrower.
std::uint64_t blocks_at_first(const run_plan& plan);

/// How many it has after the pilot: as many as the ratios to the baseline of every contender's `time` need,
/// and no more than its own. Trials after the pilot's are not looked at, so that a run which is taken up
/// again decides as it did.
std::uint64_t blocks_after_pilot(const run_plan& plan, const run_outcome& outcome);

}  // namespace loopbench::bench
