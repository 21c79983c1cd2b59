// Means and normal intervals do not describe benchmark times, because these times are skewed and have
// outliers. Therefore loopbench uses medians and their intervals between order statistics.
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

double median_of(std::span<const double> samples);

/// Returns the median of at least one finite sample, and its interval between order statistics. The interval
/// from the k-th smallest to the k-th largest of n samples covers the median with the probability C_k, where
/// B ~ Binomial(n, 1/2):
///     C_k = 1 - 2 P(B <= k - 1).
/// The returned interval is interpolated between two of these intervals: the narrowest one with C_k >=
/// `level`, and the next narrower one. Its lower end, with x_k as the k-th smallest sample, is
///     low = (1 - s) x_k + s x_(k+1),
///     s = (n - k) I / (k + (n - 2k) I),    I = (C_k - level) / (C_k - C_(k+1)).
/// The formula for `high` is the same, with x_k as the k-th largest sample (T. P. Hettmansperger and S. J.
/// Sheather, "Confidence Intervals Based on Interpolated Order Statistics", Statistics & Probability Letters
/// 4, 1986; J. Nyblom, "Note on Interpolated Order Statistics", ibid. 14, 1992, explains why s depends so
/// little on the distribution). From six samples on, the coverage is within 1 % of `level` for skewed,
/// heavy-tailed and bimodal samples (tests/statistics/coverage_test.cpp). With fewer samples, no 95 %
/// interval exists without an assumption: for five samples, C_1 is 93.75 %. `level` must be at least 1/2.
estimate median_with_interval(std::span<const double> samples, double level = default_level);

/// Returns log(numerator / denominator) for each block in which both values exist. Returns an empty list if
/// any value is not above zero, or if any ratio does not fit into a double, because ratios are then
/// meaningless.
std::vector<double> paired_log_ratios(std::span<const std::optional<double>> numerator,
                                      std::span<const std::optional<double>> denominator);

/// Returns the log ratio of each block, which is above 0 if `mine` is better. Leaves out blocks in which a
/// value is missing.
std::vector<double> paired_log_ratios(std::span<const std::optional<double>> mine,
                                      std::span<const std::optional<double>> theirs,
                                      reports::direction better);

/// The absolute value of log_quotient() if exactly one argument is 0. It is larger than the logarithm of the
/// quotient of any two positive doubles.
inline constexpr double log_beyond_ratios = 1500;

/// Returns log(numerator / denominator) of two values that are not negative. Returns 0 if both values are 0,
/// and log_beyond_ratios or -log_beyond_ratios if only one of them is 0. Medians and sign tests of lists with
/// such values are valid, because they use only the order of values.
double log_quotient(double numerator, double denominator);

estimate exponentiated(estimate of_logs);

estimate ratio_from(std::span<const double> log_ratios, double level = default_level);

}  // namespace loopbench::bench
