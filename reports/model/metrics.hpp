// The list of metrics: name, unit, and which direction is better. A contender's counter becomes a metric if
// its name is in this list; adding a metric takes one entry.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "reports/model/results.hpp"

namespace loopbench::reports {

/// The use of a floor's value in the judgement of a contender's.
enum class floor_role {
    none,  // nothing
    show,  // a contender's value is shown as a multiple of the best floor's
    warn   // and a value below the floor's is a warning; other percentiles would only repeat it
};

/// Everything that is known about a metric.
struct metric_info {
    std::string_view name;   // in files and on the command line
    std::string_view title;  // for readers; with "per operation" or the like, if it is a rate
    std::string_view unit;
    direction better = direction::smaller;
    bool deterministic = false;        // a count that does not depend on the machine's state
    bool valid_if_concurrent = false;  // it is CPU time or memory, and others on the core do not change it
    floor_role floors = floor_role::none;
    bool judged_by_tolerance = false;  // by the gate: --tolerate is its limit
    std::string_view summary;
    std::string_view how;  // it is measured, and what affects it
};

/// Returns all metrics, in the order in which they are reported.
std::span<const metric_info> known_metrics();

/// Returns the metric with this name, or nullptr.
const metric_info* find_metric(std::string_view name);

/// Returns a result for this metric, still without a number.
result result_of(std::string workload, std::string contender, const metric_info& metric);

/// Returns the metric's title; for an unknown metric, which a third-party report may have, its name.
std::string_view title_of_metric(std::string_view name);

}  // namespace loopbench::reports
