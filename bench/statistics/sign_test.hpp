// The sign test: what it says of a median needs no assumption but that samples are independent. Its p-values
// and intervals are interpolated, because those of few samples come in steps so wide that a 95 % interval of
// seven would cover 98.4 % and be the wider for it.
#pragma once

#include <optional>
#include <span>

#include "bench/statistics/median.hpp"

namespace loopbench::bench {

/// P(B >= successes), B ~ Binomial(trials, 1/2).
double sign_test(std::size_t successes, std::size_t trials);

/// How likely samples that lie above `value` as far as these do are when the median is at most `value`. With
/// c samples at most as large as it, x_c <= value < x_(c+1),
///     P(B <= c - 1) + I P(B = c),    B ~ Binomial(n, 1/2),
///     I = s c / (n - c - s (n - 2c)),    s = (value - x_c) / (x_(c+1) - x_c),
/// which is the level at which the interval below ends at `value`: test and interval always say the same.
/// Where no sample is below, it is that of the sign test, 2^-n: what one sample more would have said is not
/// known.
double p_above(std::span<const double> samples, double value);

/// The same for samples below `value`.
double p_below(std::span<const double> samples, double value);

/// The share of pairs that has to lie beyond a value so that in four of five runs the test above finds it at
/// this level (two-sided): the q for which
///     P(C <= k - 1) + w P(C = k) = 0.8,    C ~ Binomial(n, 1 - q),
///     w = s k q / (s k q + (1 - s) (n - k) (1 - q)),
/// with the k and s of the interval at 1 - level. When k samples are not beyond the value, the interval ends
/// beyond it with the probability w: the distances of its two neighbours are about exponential, with the
/// means (1 - q) / k and q / (n - k). At q = 1/2, w is the I of the test. Nothing when no number of them
/// would be significant.
std::optional<double> share_needed(std::size_t pairs, double level);

/// The fewest pairs with which a difference can be significant at this level: 2 * 2^-n <= level.
std::size_t fewest_pairs(double level);

}  // namespace loopbench::bench
