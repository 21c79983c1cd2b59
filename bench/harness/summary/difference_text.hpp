// Texts for the size of a difference. The gate and the A/A comparison share them.
#pragma once

#include <string>
#include <string_view>

#include "bench/harness/statistics/median.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Describes a ratio to `to`; a ratio above 1 means better. Returns "2.2 % slower than base (1.6 to 2.8 %)"
/// for times, and "2.2 % worse than base" for other metrics. From a factor of two on, returns "3.1 times as
/// slow as base (2.9 to 3.4 times)".
std::string difference_text(std::string_view metric, const estimate& ratio, std::string_view to);

/// Describes a difference of two distances from zero; a difference above 0 means worse: "40 µs further from
/// zero than base (35 µs to 46 µs)".
std::string distance_text(std::string_view unit, const reports::difference& difference);

}  // namespace loopbench::bench
