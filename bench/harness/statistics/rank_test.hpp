// Two unpaired samples: the first half of a run against the second, one report against another.
#pragma once

#include <span>

#include "bench/harness/statistics/median.hpp"

namespace loopbench::bench {

/// Returns the two-sided p-value of the Mann-Whitney test: exact without ties and with at most 20 samples on
/// each side, otherwise by the normal approximation with the corrections for ties and continuity (E. L.
/// Lehmann, Nonparametrics, 1975, chapter 1). Both samples must have values.
double mann_whitney(std::span<const double> first, std::span<const double> second);

/// Returns how far `second` lies above `first`: the median of all differences with its interval (J. L. Hodges
/// and E. L. Lehmann, Ann. Math. Statist. 34, 1963; the interval is due to L. E. Moses: the differences that
/// the same test, in its normal approximation for more than 20 samples on a side, does not reject). No
/// interval if there are too few samples. Both samples must have values.
estimate shift_between(std::span<const double> first, std::span<const double> second,
                       double level = default_level);

}  // namespace loopbench::bench
