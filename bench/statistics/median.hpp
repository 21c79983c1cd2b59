// What trials say about a median, without assuming a distribution: benchmark times are skewed and have outliers,
// so neither means nor normal intervals describe them.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace loopbench::bench {

/// A median and its interval; no interval when the samples are too few for the level asked for.
struct estimate {
    double median = 0;
    std::optional<double> low, high;
};

inline constexpr double default_level = 0.95;

/// From this many samples on, medians get bootstrap intervals. Below it those cover up to 2 % less than promised
/// (simulated, tests/statistics/coverage_test.cpp); the sign test's always cover at least as much.
inline constexpr std::size_t many_samples = 50;

/// The middle, or the mean of the two in the middle, of at least one sample.
double median_of(std::span<const double> samples);

/// The interval of the sign test, from the k-th smallest to the k-th largest sample, with the largest k for which
///     1 - 2 P(B <= k - 1) >= level,    B ~ Binomial(n, 1/2),
/// (W. J. Conover, Practical Nonparametric Statistics, 3rd ed., section 3.2). At 95 % it needs six samples.
estimate sign_test_interval(std::span<const double> samples, double level = default_level);

/// Median and confidence interval of finite samples, of which there is at least one: the sign test's interval for
/// few, that of the BCa bootstrap (bootstrap.hpp) for many.
estimate median_with_interval(std::span<const double> samples, double level = default_level);

/// log(numerator / denominator) of the pairs taken in the same block. Index i of both is block i; a block in which
/// either has no value is left out. Empty when no pair is left, when a value is not above zero, or when a quotient is
/// beyond what a double holds: then there is no ratio to speak of.
std::vector<double> paired_log_ratios(std::span<const std::optional<double>> numerator,
                                      std::span<const std::optional<double>> denominator);

/// The median of those log ratios and its interval, exponentiated; `log_ratios` is not empty.
estimate ratio_from(std::span<const double> log_ratios, double level = default_level);

}  // namespace loopbench::bench
