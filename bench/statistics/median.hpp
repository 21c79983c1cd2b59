// What a handful of trials says about the median, without assuming a distribution: benchmark times are skewed
// and have outliers, so neither means nor normal intervals describe them.
#pragma once

#include <optional>
#include <span>

namespace loopbench::bench {

/// A median and its interval; no interval when the samples are too few for the level asked for.
struct estimate {
    double median = 0;
    std::optional<double> low, high;
};

inline constexpr double default_level = 0.95;

/// Median and confidence interval of finite samples, of which there is at least one. The interval is that of
/// the sign test: from the k-th smallest to the k-th largest sample, with the largest k for which
///     1 - 2 P(B <= k - 1) >= level,    B ~ Binomial(n, 1/2),
/// (W. J. Conover, Practical Nonparametric Statistics, 3rd ed., section 3.2). At 95 % it needs six samples.
estimate median_with_interval(std::span<const double> samples, double level = default_level);

/// numerator / denominator, estimated from pairs taken in the same block: the median of the log ratios and
/// its interval, exponentiated. Index i of both is block i; a block in which either has no value is left out.
/// Nothing when no pair is left, or when a value is not above zero: then there is no ratio to speak of.
std::optional<estimate> paired_ratio(std::span<const std::optional<double>> numerator,
                                     std::span<const std::optional<double>> denominator,
                                     double level = default_level);

}  // namespace loopbench::bench
