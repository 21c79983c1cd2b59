#pragma once

#include <span>

#include "bench/harness/statistics/median.hpp"

namespace loopbench::bench {

/// Returns the two-sided p-value of the Mann-Whitney test. The p-value is exact if each sample has at most 20
/// values and no two values are equal. Otherwise, it is the normal approximation with corrections for ties
/// and continuity (E. L. Lehmann, Nonparametrics, 1975, chapter 1). The samples must not be empty.
double mann_whitney(std::span<const double> first, std::span<const double> second);

/// Returns the median of all differences between a value of `second` and a value of `first` (J. L. Hodges and
/// E. L. Lehmann, Ann. Math. Statist. 34, 1963), and its interval. The interval contains the shifts that the
/// Mann-Whitney test does not reject (L. E. Moses); it is empty if there are too few values. The samples must
/// not be empty.
estimate shift_between(std::span<const double> first, std::span<const double> second,
                       double level = default_level);

}  // namespace loopbench::bench
