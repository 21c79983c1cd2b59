// Compares two samples that are not pairs: for example the two halves of a run, or two reports.
#pragma once

#include <span>

#include "bench/harness/statistics/median.hpp"

namespace loopbench::bench {

/// Returns the two-sided p-value of the Mann-Whitney test. The p-value is exact for at most 20 samples on
/// each side without ties. Otherwise it is the normal approximation with corrections for ties and continuity
/// (E. L. Lehmann, Nonparametrics, 1975, chapter 1). Both samples must have values.
double mann_whitney(std::span<const double> first, std::span<const double> second);

/// Returns the shift from `first` to `second`: the median of all differences, with its interval (J. L. Hodges
/// and E. L. Lehmann, Ann. Math. Statist. 34, 1963). The interval is due to L. E. Moses: it contains the
/// differences that the Mann-Whitney test does not reject; with more than 20 samples on a side, this is the
/// test's normal approximation. The interval is empty if there are too few samples. Both samples must have
/// values.
estimate shift_between(std::span<const double> first, std::span<const double> second,
                       double level = default_level);

}  // namespace loopbench::bench
