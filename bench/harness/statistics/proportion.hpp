#pragma once

#include <cstdint>
#include <utility>

namespace loopbench::bench {

/// Returns an interval that covers the true probability of a success with at least the probability `level`
/// (C. J. Clopper and E. S. Pearson, "The Use of Confidence or Fiducial Limits", Biometrika 26, 1934).
/// `trials` must be at least 1.
std::pair<double, double> proportion_interval(std::uint64_t successes, std::uint64_t trials, double level);

/// Returns the one-sided upper confidence bound of the true probability of a success. For example, n trials
/// without a success give 1 - (1 - level)^(1/n).
double proportion_at_most(std::uint64_t successes, std::uint64_t trials, double level);

}  // namespace loopbench::bench
