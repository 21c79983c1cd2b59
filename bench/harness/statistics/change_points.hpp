// Finds the runs at which a series changed its level, in thousands of series at once and without a hint where
// to look.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace loopbench::bench {

struct change_point {
    std::size_t at = 0;  // the index of the first value of the new level
    double p = 1;        // the p-value of the permutation test, before the correction for many series
};

struct change_rule {
    /// The level of one test. The level is small because a series is tested after every run: over sixty runs,
    /// several tests use mostly the same data.
    double level = 0.0005;
    /// The level of all series that are tested in one step: the accepted share of false change points among
    /// all reported change points (Benjamini and Hochberg, correction.hpp).
    double family_level = 0.01;
    /// The number of values that are tested together. A limit makes a result independent of much later
    /// values, and makes the time proportional to the length of a series.
    std::size_t window = 60;
    /// The smallest number of values that form a level. One or two runs on a bad day do not form a level.
    std::size_t least = 3;
};

/// Returns the change points of each series, in ascending order. All values must be finite.
///
/// The method is E-divisive means (D. S. Matteson and N. A. James, "A Nonparametric Approach for Multiple
/// Change Point Analysis of Multivariate Data", JASA 109, 2014) with the exponent 1. Of all ways to split a
/// window in two parts, the method takes the split with the largest energy distance
///     Q = ab / (a + b) (2 / (ab) B - 2 / (a (a - 1)) A1 - 2 / (b (b - 1)) A2).
/// Here, a and b are the numbers of values in the two parts, B is the sum of |x - y| over the pairs between
/// the parts, and A1 and A2 are these sums over the pairs within each part. The p-value is the share of
/// random orders of the window, including the real order, whose largest Q is at least as large. After a
/// significant split, the part before the split is tested alone, and the search continues after the split.
/// Otherwise the search continues half a window later. In each step, every series that has not reached its
/// end has one test.
///
/// Orders are drawn until an order has a Q at least as large (J. Besag and P. Clifford, "Sequential Monte
/// Carlo p-Values", Biometrika 78, 1991), at first at most 1/level orders. If no order has such a Q, more
/// orders are drawn, as many as the correction needs: the fewer series changed, the more orders. Constant
/// values are not tested. Every run draws the same orders.
std::vector<std::vector<change_point>> change_points(std::span<const std::vector<double>> series,
                                                     const change_rule& rule = {});

}  // namespace loopbench::bench
