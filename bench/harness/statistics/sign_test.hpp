// The sign test of a median, which only assumes that samples are independent. Its p-values and intervals are
// interpolated: with few samples, the exact ones have such wide steps that a 95 % interval of seven would
// cover 98.4 %, and would be wider for it.
#pragma once

#include <optional>
#include <span>

#include "bench/harness/statistics/median.hpp"

namespace loopbench::bench {

/// Returns P(B >= successes), B ~ Binomial(trials, 1/2).
double sign_test(std::size_t successes, std::size_t trials);

/// Returns how likely samples this far above `value` are if the median is at most `value`. With c samples
/// that are at most `value`, x_c <= value < x_(c+1), it is
///     P(B <= c - 1) + I P(B = c),    B ~ Binomial(n, 1/2),
///     I = s c / (n - c - s (n - 2c)),    s = (value - x_c) / (x_(c+1) - x_c),
/// which is the level at which median_with_interval() ends at `value`: test and interval always agree. If no
/// sample is below `value`, it is the p-value of the sign test, 2^-n, because there is no step to interpolate
/// in.
double p_above(std::span<const double> samples, double value);

/// Returns the same for samples below `value`.
double p_below(std::span<const double> samples, double value);

/// Returns the share of pairs that has to lie beyond a value so that the test above finds it in four of five
/// runs at this level (two-sided): the q for which
///     P(C <= k - 1) + w P(C = k) = 0.8,    C ~ Binomial(n, 1 - q),
///     w = s k q / (s k q + (1 - s) (n - k) (1 - q)),
/// with the k and s of the interval at 1 - level. If k samples are not beyond the value, the interval ends
/// beyond it with the probability w: the distances of its two neighbours are about exponential, with the
/// means (1 - q) / k and q / (n - k). At q = 1/2, w is the I of the test. Returns nothing if no share of
/// these pairs would be significant.
std::optional<double> share_needed(std::size_t pairs, double level);

/// Returns the fewest pairs with which a difference can be significant at this level: 2 * 2^-n <= level.
std::size_t fewest_pairs(double level);

}  // namespace loopbench::bench
