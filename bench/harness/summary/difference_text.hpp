// Words for the size of a difference, which the gate and the A/A comparison share.
#pragma once

#include <string>
#include <string_view>

#include "bench/harness/statistics/median.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Describes a ratio to `to`, where above 1 is better: "2.2 % slower than base (1.6 to 2.8 %)" for times, and
/// "2.2 % worse than base" for other metrics. Returns "3.1 times as slow as base (2.9 to 3.4 times)" from a
/// factor of two on.
std::string difference_text(std::string_view metric, const estimate& ratio, std::string_view to);

/// Describes a difference of distances from zero, where above 0 is worse: "40 µs further from zero than base
/// (35 µs to 46 µs)".
std::string distance_text(std::string_view unit, const reports::difference& difference);

}  // namespace loopbench::bench
