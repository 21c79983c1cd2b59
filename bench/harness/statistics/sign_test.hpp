// The sign test assumes only independent samples. Its p-values and intervals are interpolated, because the
// exact values for few samples have wide steps: the exact 95 % interval of seven samples covers 98.4 %.
#pragma once

#include <optional>
#include <span>

#include "bench/harness/statistics/median.hpp"

namespace loopbench::bench {

/// Returns P(B >= successes) for B ~ Binomial(trials, 1/2).
double sign_test(std::size_t successes, std::size_t trials);

/// Returns the one-sided p-value of the hypothesis that the median is at most `value`. Let c be the number of
/// samples that are at most `value`, so that x_c <= value < x_(c+1). The p-value is
///     P(B <= c - 1) + I P(B = c),    B ~ Binomial(n, 1/2),
///     I = s c / (n - c - s (n - 2c)),    s = (value - x_c) / (x_(c+1) - x_c).
/// If the p-value is p, `value` is the lower end of median_with_interval() at the level 1 - 2p. Thus the test
/// and the interval always agree. If all samples are above `value`, interpolation is impossible, and the
/// result is 2^-n, the p-value of the sign test.
double p_above(std::span<const double> samples, double value);

double p_below(std::span<const double> samples, double value);

/// Returns the share of pairs that must lie beyond a value, so that four of five runs find a difference from
/// this value. The test of these runs is p_above() or p_below(), two-sided at this level. The share is the q
/// for which
///     P(C <= k - 1) + w P(C = k) = 0.8,    C ~ Binomial(n, 1 - q),
///     w = s k q / (s k q + (1 - s) (n - k) (1 - q)),
/// with the k and s of the interval at 1 - level. If exactly k samples are not beyond the value, the interval
/// ends beyond the value with the probability w: the distances of the value's two neighbours are
/// approximately exponential, with the means (1 - q) / k and q / (n - k). At q = 1/2, w equals the I of
/// p_above(). Returns nothing if no share of this number of pairs would be significant.
std::optional<double> share_needed(std::size_t pairs, double level);

/// Returns the smallest n with 2 * 2^-n <= level, so that n pairs with the same sign can be significant.
std::size_t fewest_pairs(double level);

}  // namespace loopbench::bench
