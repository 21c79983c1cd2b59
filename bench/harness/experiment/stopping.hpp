#pragma once

#include <cstdint>
#include <span>

#include "bench/harness/experiment/runner.hpp"

namespace loopbench::bench {

/// The number of blocks (the pilot) after which a run with --precision decides once how many blocks it will
/// run in total.
///
/// A decision after each block would be wrong in two ways (tests/statistics/stopping_test.cpp). A run that
/// stops as soon as it sees a difference reports nonexistent differences in far more than 5 % of cases. A run
/// that stops as soon as its intervals are narrow also stops when they are narrow by chance; they then cover
/// the truth in 92.5 % of cases instead of 95 %.
///
/// With two stages (C. Stein, "A Two-Sample Test for a Linear Hypothesis Whose Power Is Independent of the
/// Variance", Ann. Math. Statist. 16, 1945), the intervals cover the truth in 94 % of cases. Additional
/// blocks do not increase this share, because the interval is also computed from the pairs of the pilot.
inline constexpr std::uint64_t pilot_blocks = 30;

/// Estimates the number of blocks after which both limits of the interval are at most `precision_pct` away
/// from the median ratio. Returns at least pilot_blocks. Assumes that the width of the interval is inversely
/// proportional to the square root of the number of blocks.
std::uint64_t blocks_for(std::span<const double> log_ratios, double precision_pct);

/// Returns the plan's number of blocks or, with a precision, the number of blocks of the pilot. With a
/// precision and layouts, returns at most the number of layout pairs, because blocks with repeated pairs do
/// not make the interval narrower.
std::uint64_t blocks_at_first(const run_plan& plan);

/// Returns the number of blocks that is enough for the requested precision of each contender's ratio of the
/// metric `time`, but at most the plan's number of blocks. Ignores trials after the pilot, so that a resumed
/// run makes the same decision.
std::uint64_t blocks_after_pilot(const run_plan& plan, const run_outcome& outcome);

/// Returns the number of blocks with which each comparison can be significant, even if no other comparison
/// is. With fewer blocks, some comparisons would be undecided even if the difference were large.
std::uint64_t blocks_for_any_verdict(const run_plan& plan);

}  // namespace loopbench::bench
