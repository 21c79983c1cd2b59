#pragma once

#include <string>
#include <string_view>

#include "bench/harness/statistics/median.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns a text such as "2.2 % slower than base (1.6 to 2.8 %)" for times and "2.2 % worse than base" for
/// other metrics. For a factor of at least 2, the text has the form "3.1 times as slow as base (2.9 to 3.4
/// times)". A ratio above 1 means better.
std::string difference_text(std::string_view metric, const estimate& ratio, std::string_view to);

/// Returns a shorter text: "slower by 2.2 % (1.6 to 2.8)" or "3.1 times as slow (2.9 to 3.4)".
std::string brief_difference(std::string_view metric, const estimate& ratio);

/// Formats a factor with one decimal place, or with none from 100 on, for example "3,178".
std::string times_text(double value);

std::string ratio_digits(double ratio);

/// Returns a text such as "40 µs further from zero than base (35 µs to 46 µs)". A difference above 0 means
/// worse.
std::string distance_text(std::string_view unit, const reports::difference& difference);

}  // namespace loopbench::bench
