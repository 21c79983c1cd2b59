// What trials say about a median, without assuming a distribution: benchmark times are skewed and have
// outliers, so neither means nor normal intervals describe them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "reports/words.hpp"

namespace loopbench::bench {

/// A median and its interval; no interval when the samples are too few for the level asked for.
struct estimate {
    double median = 0;
    std::optional<double> low, high;
};

inline constexpr double default_level = 0.95;

/// The middle, or the mean of the two in the middle, of at least one sample.
double median_of(std::span<const double> samples);

/// Median of finite samples, of which there is at least one, and its interval between order statistics. Of
/// those from the k-th smallest to the k-th largest
/// sample, which cover the median with C_k = 1 - 2 P(B <= k - 1), it lies between the last that covers at
/// least `level` and the first that covers less:
///     low = (1 - s) x_k + s x_(k+1),
///     s = (n - k) I / (k + (n - 2k) I),    I = (C_k - level) / (C_k - C_(k+1)),
/// and high likewise (T. P. Hettmansperger and S. J. Sheather, "Confidence Intervals Based on Interpolated
/// Order Statistics", Statistics & Probability Letters 4, 1986; J. Nyblom, "Note on Interpolated Order
/// Statistics", ibid. 14, 1992, on why s depends so little on the distribution). It covers what it promises
/// to within 1 % on skewed, heavy-tailed and bimodal samples, from six on
/// (tests/statistics/coverage_test.cpp). Below six samples there is no 95 % interval of any kind that needs
/// no assumption: C_1 of five is 93.75 %. `level` is at least 1/2.
estimate median_with_interval(std::span<const double> samples, double level = default_level);

/// log(numerator / denominator) of the pairs taken in the same block. Index i of both is block i; a block in
/// which either has no value is left out. Empty when no pair is left, when a value is not above zero, or when
/// a quotient is beyond what a double holds: then there is no ratio to speak of.
std::vector<double> paired_log_ratios(std::span<const std::optional<double>> numerator,
                                      std::span<const std::optional<double>> denominator);

/// The same, above 0 where `mine` is better.
std::vector<double> paired_log_ratios(std::span<const std::optional<double>> mine,
                                      std::span<const std::optional<double>> theirs,
                                      reports::direction better);

/// What stands for the logarithm of a quotient of something and nothing: further from 0 than that of any two
/// doubles.
inline constexpr double log_beyond_ratios = 1500;

/// log(numerator / denominator) of values that are not negative, as far as their order goes: 0 where both are
/// 0, and log_beyond_ratios with a sign where one is. A median and a sign test of these are as sound as those
/// of ratios: they ask for no more than which values lie beyond another.
double log_quotient(double numerator, double denominator);

/// From logarithms to what they are of.
estimate exponentiated(estimate of_logs);

/// The median of those log ratios and its interval, exponentiated; `log_ratios` is not empty.
estimate ratio_from(std::span<const double> log_ratios, double level = default_level);

}  // namespace loopbench::bench
