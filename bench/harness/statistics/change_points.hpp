// Finds out when a series of runs changed its level, without a hint where to look, in thousands of series.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace loopbench::bench {

struct change_point {
    std::size_t at = 0;  // the first value of the new level
    double p = 1;        // of the permutation test, before the correction for many series
};

struct change_rule {
    /// The level of one test. It is small because a series is tested after every run: sixty runs make several
    /// such tests on mostly the same data.
    double level = 0.0005;
    /// The level of all series that are tested in one step: the accepted share of false change points among
    /// those that are found (Benjamini and Hochberg, correction.hpp).
    double family_level = 0.01;
    /// The number of values that are tested together. The result does not depend on much later values, and
    /// the time for a long series grows only in proportion to its length.
    std::size_t window = 60;
    /// The smallest number of values that form a level: one or two runs on a bad day do not.
    std::size_t least = 3;
};

/// Returns the change points of each series, in ascending order. Values are finite.
///
/// E-divisive means (D. S. Matteson and N. A. James, "A Nonparametric Approach for Multiple Change Point
/// Analysis of Multivariate Data", JASA 109, 2014), with the exponent 1: of all ways to split a window in
/// two, take the one with the largest energy distance
///     Q = ab / (a + b) (2 / (ab) B - 2 / (a (a - 1)) A1 - 2 / (b (b - 1)) A2),
/// where B and A1, A2 are the sums of |x - y| over the pairs between and within its parts of a and b values.
/// Its p-value is the share of random orders of the window whose largest Q is at least as large, including
/// the real order. If it is significant, the part before the split is tested on its own, and the search
/// continues after the split; otherwise it continues half a window later. In each step, every series that has
/// not reached its end has one test.
///
/// Orders are drawn until one has a Q at least as large (J. Besag and P. Clifford, "Sequential Monte Carlo
/// p-Values", Biometrika 78, 1991), at first at most 1/level of them. If no order had one, more are drawn, as
/// many as the correction needs: the fewer series changed, the more. Constant values are not tested. The
/// drawn orders are the same in every run.
std::vector<std::vector<change_point>> change_points(std::span<const std::vector<double>> series,
                                                     const change_rule& rule = {});

}  // namespace loopbench::bench
