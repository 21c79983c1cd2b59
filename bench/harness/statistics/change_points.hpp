#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace loopbench::bench {

struct change_point {
    std::size_t at = 0;
    double p = 1;  // before the correction for many series
};

struct change_rule {
    /// The significance level of one test. It is small because a series is searched again after every new
    /// run, with nearly the same data.
    double level = 0.0005;
    /// The accepted share of false change points among all reported ones (Benjamini and Hochberg,
    /// correction.hpp).
    double family_level = 0.01;
    /// The maximum number of values in one test. Because of this limit, much later values do not change
    /// the result, and the computing time is proportional to the length of a series.
    std::size_t window = 60;
    /// The smallest number of values before and after a change point. It prevents one or two slow runs from
    /// being reported as a change.
    std::size_t least = 3;
};

/// Returns the change points of each series, in ascending order. All values must be finite.
///
/// The method is E-divisive means (D. S. Matteson and N. A. James, "A Nonparametric Approach for Multiple
/// Change Point Analysis of Multivariate Data", JASA 109, 2014) with the exponent 1. Of all ways to split a
/// window into two parts, the method takes the split with the largest energy distance
///     Q = ab / (a + b) (2 / (ab) B - 2 / (a (a - 1)) A1 - 2 / (b (b - 1)) A2).
/// Here, a and b are the numbers of values in the two parts. B is the sum of |x - y| over all pairs with a
/// value in each part. A1 and A2 are the sums over the pairs within the first and the second part. Random
/// orders of the window's values are then drawn. The p-value is the share of all orders, including the real
/// order, whose largest Q is at least as large as that of the real order. After a significant split, the part
/// before the split is tested alone, and the search continues after the split. Without a significant split,
/// the search continues half a window later. In each step, every series that has not reached its end has one
/// test.
///
/// Orders are drawn until the Q of an order is at least as large as that of the real order (J. Besag and P.
/// Clifford, "Sequential Monte Carlo p-Values", Biometrika 78, 1991), but at first at most 1/level orders. If
/// the Q of all these orders is smaller, as many further orders are drawn as the correction needs. The
/// correction needs more orders if fewer series changed. A window of equal values is not tested. Every call
/// of this function draws the same sequence of orders.
std::vector<std::vector<change_point>> change_points(std::span<const std::vector<double>> series,
                                                     const change_rule& rule = {});

}  // namespace loopbench::bench
