// The visible list of metrics: what a number is called, its unit, and which way is better. A counter that a
// contender prints becomes a metric by standing in this list; adding a metric is one entry there.
#pragma once

#include <span>
#include <string_view>

#include "reports/results.hpp"

namespace loopbench::reports {

struct metric_info {
    std::string_view name;
    std::string_view unit;
    direction better = direction::smaller;
    bool deterministic = false;  // a count that does not depend on the machine's mood
    std::string_view summary;
    std::string_view how;  // it is measured, and what moves it
};

/// Every metric, in the order in which they are reported.
std::span<const metric_info> known_metrics();

/// The metric of that name, or nullptr.
const metric_info* find_metric(std::string_view name);

}  // namespace loopbench::reports
