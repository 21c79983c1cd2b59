// When a series of runs changed its level: nobody says where to look, and a project has thousands of series.
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
    /// Of one test. A series is looked at after every run, so that over sixty of them several such tests are
    /// made of data that mostly are the same.
    double level = 0.0005;
    /// Of all series that are tested in one step, as the share of false ones among those that are found
    /// (Benjamini and Hochberg, correction.hpp).
    double family_level = 0.01;
    /// So many values are looked at together. What was found in them does not depend on those that come much
    /// later, and a series of thousands takes no longer than its length.
    std::size_t window = 60;
    /// A level is one from so many values on: one or two runs on a bad day are none.
    std::size_t least = 3;
};

/// The change points of each series, by place. Values are finite.
///
/// E-divisive means (D. S. Matteson and N. A. James, "A Nonparametric Approach for Multiple Change Point
/// Analysis of Multivariate Data", JASA 109, 2014), with the exponent 1: of all ways to split a window in
/// two, the one with the largest energy distance
///     Q = ab / (a + b) (2 / (ab) B - 2 / (a (a - 1)) A1 - 2 / (b (b - 1)) A2),
/// where B and A1, A2 are the sums of |x - y| over the pairs between and within its parts of a and b values.
/// Its p-value is the share of random orders of the window whose largest Q is as large, this one included.
/// Where it is significant, the window's front is tested by itself, and the search goes on behind the split;
/// otherwise it goes on half a window later. In a step, each series that is not at its end yet has one test.
///
/// Orders are drawn until one has a Q as large (J. Besag and P. Clifford, "Sequential Monte Carlo p-Values",
/// Biometrika 78, 1991), at most 1/level of them and, where none had, as many as the correction asks for: the
/// fewer series changed, the more. Values that are all the same are no test. The orders are the same every
/// time.
std::vector<std::vector<change_point>> change_points(std::span<const std::vector<double>> series,
                                                     const change_rule& rule = {});

}  // namespace loopbench::bench
