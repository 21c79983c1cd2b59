// Estimates a median from trials without assuming a distribution: benchmark times are skewed and have
// outliers, so neither means nor normal intervals describe them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "reports/model/words.hpp"

namespace loopbench::bench {

/// A median and its interval; no interval if there are too few samples for the requested level.
struct estimate {
    double median = 0;
    std::optional<double> low, high;
};

inline constexpr double default_level = 0.95;

/// Returns the middle sample, or the mean of the two in the middle; requires at least one sample.
double median_of(std::span<const double> samples);

/// Returns the median of at least one finite sample, and its interval between order statistics. An interval
/// from the k-th smallest to the k-th largest sample covers the median with C_k = 1 - 2 P(B <= k - 1). The
/// result is between the last of these that covers at least `level` and the first that covers less:
///     low = (1 - s) x_k + s x_(k+1),
///     s = (n - k) I / (k + (n - 2k) I),    I = (C_k - level) / (C_k - C_(k+1)),
/// and high likewise (T. P. Hettmansperger and S. J. Sheather, "Confidence Intervals Based on Interpolated
/// Order Statistics", Statistics & Probability Letters 4, 1986; J. Nyblom, "Note on Interpolated Order
/// Statistics", ibid. 14, 1992, on why s depends so little on the distribution). From six samples on, its
/// coverage is within 1 % of the promised one on skewed, heavy-tailed and bimodal samples
/// (tests/statistics/coverage_test.cpp). Below six samples, no 95 % interval exists without an assumption:
/// C_1 of five is 93.75 %. `level` is at least 1/2.
estimate median_with_interval(std::span<const double> samples, double level = default_level);

/// Returns log(numerator / denominator) of the pairs from the same block. Index i of both is block i; a block
/// without one of the two values is left out. Returns an empty list if no pair is left, if a value is not
/// above zero, or if a quotient does not fit into a double: there is no meaningful ratio then.
std::vector<double> paired_log_ratios(std::span<const std::optional<double>> numerator,
                                      std::span<const std::optional<double>> denominator);

/// Returns the same, but above 0 if `mine` is better.
std::vector<double> paired_log_ratios(std::span<const std::optional<double>> mine,
                                      std::span<const std::optional<double>> theirs,
                                      reports::direction better);

/// Stands for the logarithm of a quotient in which exactly one value is 0: further from 0 than the logarithm
/// for any two doubles.
inline constexpr double log_beyond_ratios = 1500;

/// Returns log(numerator / denominator) of values that are not negative, extended for their order: 0 if both
/// are 0, and log_beyond_ratios with a sign if one is. A median and a sign test of these are as sound as
/// those of ratios, because they use only the order of values.
double log_quotient(double numerator, double denominator);

/// Converts logarithms back to the values themselves.
estimate exponentiated(estimate of_logs);

/// Returns the median of these log ratios and its interval, exponentiated; `log_ratios` is not empty.
estimate ratio_from(std::span<const double> log_ratios, double level = default_level);

}  // namespace loopbench::bench
