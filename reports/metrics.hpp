// The visible list of metrics: what a number is called, its unit, and which way is better. A counter that a
// contender prints becomes a metric by standing in this list; adding a metric is one entry there.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "reports/results.hpp"

namespace loopbench::reports {

struct metric_info {
    std::string_view name;  // in files and on the command line
    std::string_view
        title;  // where a person reads; with "per operation" or the like, where it is per something
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

/// A result in this metric that has no number yet.
result result_of(std::string workload, std::string contender, const metric_info& metric);

/// Its title; of one that is not in the list, which a stranger's report may have, its name.
std::string_view title_of_metric(std::string_view name);

}  // namespace loopbench::reports
