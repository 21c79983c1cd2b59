// Estimates a probability from counts.
#pragma once

#include <cstdint>
#include <utility>

namespace loopbench::bench {

/// Returns the interval of a proportion from `successes` of `trials` (at least one), which covers it with at
/// least `level`: C. J. Clopper and E. S. Pearson, "The Use of Confidence or Fiducial Limits", Biometrika 26,
/// 1934.
std::pair<double, double> proportion_interval(std::uint64_t successes, std::uint64_t trials, double level);

/// Returns its one-sided upper bound. Without a success in n trials, it is 1 - (1 - level)^(1/n).
double proportion_at_most(std::uint64_t successes, std::uint64_t trials, double level);

}  // namespace loopbench::bench
