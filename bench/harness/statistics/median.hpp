// Estimates a median from trials without an assumption about the distribution. Benchmark times are skewed and
// have outliers, so that neither means nor normal intervals describe them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "reports/model/words.hpp"

namespace loopbench::bench {

/// A median and its interval. The interval is empty if there are too few samples for the requested level.
struct estimate {
    double median = 0;
    std::optional<double> low, high;
};

inline constexpr double default_level = 0.95;

/// Returns the middle sample, or the mean of the two middle samples. Requires at least one sample.
double median_of(std::span<const double> samples);

/// Returns the median of at least one finite sample, and its interval between order statistics. The interval
/// from the k-th smallest to the k-th largest sample covers the median with the probability
///     C_k = 1 - 2 P(B <= k - 1).
/// The returned interval is interpolated between two such intervals: the last one that covers at least
/// `level`, and the first one that covers less:
///     low = (1 - s) x_k + s x_(k+1),
///     s = (n - k) I / (k + (n - 2k) I),    I = (C_k - level) / (C_k - C_(k+1)).
/// `high` is computed in the same way (T. P. Hettmansperger and S. J. Sheather, "Confidence Intervals Based
/// on Interpolated Order Statistics", Statistics & Probability Letters 4, 1986; J. Nyblom, "Note on
/// Interpolated Order Statistics", ibid. 14, 1992, explains why s depends so little on the distribution).
/// From six samples on, the coverage is within 1 % of `level` for skewed, heavy-tailed and bimodal samples
/// (tests/statistics/coverage_test.cpp). With fewer samples, no 95 % interval exists without an assumption:
/// for five samples, C_1 is 93.75 %. `level` must be at least 1/2.
estimate median_with_interval(std::span<const double> samples, double level = default_level);

/// Returns log(numerator / denominator) for each block. Index i of both lists is block i; a block without one
/// of the two values is left out. Returns an empty list if no pair remains, if a value is not above zero, or
/// if a quotient does not fit into a double, because the ratio is then meaningless.
std::vector<double> paired_log_ratios(std::span<const std::optional<double>> numerator,
                                      std::span<const std::optional<double>> denominator);

/// Returns the same log ratios, with the sign that makes them positive if `mine` is better.
std::vector<double> paired_log_ratios(std::span<const std::optional<double>> mine,
                                      std::span<const std::optional<double>> theirs,
                                      reports::direction better);

/// Replaces the logarithm of a quotient in which exactly one value is 0. It is further from 0 than the
/// logarithm of the quotient of any two doubles.
inline constexpr double log_beyond_ratios = 1500;

/// Returns log(numerator / denominator) of two values that are not negative. Extends the order of logarithms
/// to zeros: returns 0 if both values are 0, and log_beyond_ratios or -log_beyond_ratios if only one value is
/// 0. Medians and sign tests of such values are as valid as those of ratios, because they use only the order
/// of values.
double log_quotient(double numerator, double denominator);

/// Converts logarithms back to ratios.
estimate exponentiated(estimate of_logs);

/// Returns the median of these log ratios and its interval, both exponentiated. `log_ratios` must not be
/// empty.
estimate ratio_from(std::span<const double> log_ratios, double level = default_level);

}  // namespace loopbench::bench
