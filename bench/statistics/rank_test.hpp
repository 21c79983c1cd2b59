// Two samples that are no pairs: the first half of a run against the second, one report against another.
#pragma once

#include <span>

#include "bench/statistics/median.hpp"

namespace loopbench::bench {

/// The two-sided p-value of the Mann-Whitney test: exact without ties and with at most 20 samples on a side,
/// else by the normal approximation with the corrections for ties and continuity (E. L. Lehmann,
/// Nonparametrics, 1975, chapter 1). Neither may be empty.
double mann_whitney(std::span<const double> first, std::span<const double> second);

/// How far `second` lies above `first`: the median of all differences with its interval (J. L. Hodges and E.
/// L. Lehmann, Ann. Math. Statist. 34, 1963; the interval is due to L. E. Moses: the differences between
/// which the same test, in its normal approximation for more than 20 samples on a side, does not reject). No
/// interval when the samples are too few. Neither may be empty.
estimate shift_between(std::span<const double> first, std::span<const double> second,
                       double level = default_level);

}  // namespace loopbench::bench
