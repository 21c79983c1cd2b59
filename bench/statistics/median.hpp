// What trials say about a median, without assuming a distribution: benchmark times are skewed and have
// outliers, so neither means nor normal intervals describe them.
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

/// From this many samples on, medians get bootstrap intervals. Below it those cover up to 2 % less than
/// promised; those between order statistics do not (both simulated in tests/statistics/coverage_test.cpp).
inline constexpr std::size_t many_samples = 50;

/// The middle, or the mean of the two in the middle, of at least one sample.
double median_of(std::span<const double> samples);

/// Median and confidence interval of finite samples, of which there is at least one: that between order
/// statistics (sign_test.hpp) for few, that of the BCa bootstrap (bootstrap.hpp) for many.
estimate median_with_interval(std::span<const double> samples, double level = default_level);

/// log(numerator / denominator) of the pairs taken in the same block. Index i of both is block i; a block in
/// which either has no value is left out. Empty when no pair is left, when a value is not above zero, or when
/// a quotient is beyond what a double holds: then there is no ratio to speak of.
std::vector<double> paired_log_ratios(std::span<const std::optional<double>> numerator,
                                      std::span<const std::optional<double>> denominator);

/// The median of those log ratios and its interval, exponentiated; `log_ratios` is not empty.
estimate ratio_from(std::span<const double> log_ratios, double level = default_level);

}  // namespace loopbench::bench
