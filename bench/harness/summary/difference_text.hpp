// Texts for the size of a difference, for the gate and for the A/A comparison.
#pragma once

#include <string>
#include <string_view>

#include "bench/harness/statistics/median.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Describes a ratio to `to`. A ratio above 1 means better. Returns, for example, "2.2 % slower than base
/// (1.6 to 2.8 %)" for times, and "2.2 % worse than base" for other metrics. For a factor of at least 2,
/// returns, for example, "3.1 times as slow as base (2.9 to 3.4 times)".
std::string difference_text(std::string_view metric, const estimate& ratio, std::string_view to);

/// Describes a difference of two distances from zero, for example "40 µs further from zero than base (35 µs
/// to 46 µs)". A difference above 0 means worse.
std::string distance_text(std::string_view unit, const reports::difference& difference);

}  // namespace loopbench::bench
