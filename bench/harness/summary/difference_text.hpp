// Texts that state the size of a difference, for the results of the gate and of the A/A comparison.
#pragma once

#include <string>
#include <string_view>

#include "bench/harness/statistics/median.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Describes the ratio of a result to that of the contender `to`. A ratio above 1 means better. Returns, for
/// example, "2.2 % slower than base (1.6 to 2.8 %)" for times, and "2.2 % worse than base" for other metrics.
/// For a factor of at least 2, returns, for example, "3.1 times as slow as base (2.9 to 3.4 times)".
std::string difference_text(std::string_view metric, const estimate& ratio, std::string_view to);

/// Describes a ratio in fewer words, for a line with many results: "slower by 2.2 % (1.6 to 2.8)", "3.1 times
/// as slow (2.9 to 3.4)".
std::string brief_difference(std::string_view metric, const estimate& ratio);

/// Formats a factor with one decimal. Formats factors of at least 100 without decimals, for example "3,178".
std::string times_text(double value);

/// Formats a ratio with three decimals: "1.003". Ratios below 0.01 get two significant digits, and ratios
/// from 10 get one decimal or none.
std::string ratio_digits(double ratio);

/// Describes how much further one value is from zero than another one, for example "40 µs further from zero
/// than base (35 µs to 46 µs)". A difference above 0 means worse.
std::string distance_text(std::string_view unit, const reports::difference& difference);

}  // namespace loopbench::bench
