// The list of metrics with their names, their units, and the direction that is better. A contender's counter
// becomes a metric if its name is in this list. A new metric needs only one new entry.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "reports/model/results.hpp"

namespace loopbench::reports {

/// The way in which a floor's value is used to judge a contender's value.
enum class floor_role {
    none,  // the floor's value is not used
    show,  // the contender's value is shown as a multiple of the best floor's value
    warn   // like `show`; in addition, a value below the floor's value causes a warning
};

/// The properties of a metric.
struct metric_info {
    std::string_view name;   // the name in files and on the command line
    std::string_view title;  // the title for readers, for example "time per operation"
    std::string_view unit;
    direction better = direction::smaller;
    bool deterministic = false;        // true for a count that does not depend on the machine's state
    bool valid_if_concurrent = false;  // true if other programs on the same core do not affect the value
    floor_role floors = floor_role::none;
    bool judged_by_tolerance = false;  // true if the gate's limit for this metric is --tolerate
    /// The number of samples that a percentile needs in each trial, or 0 for metrics other than percentiles.
    /// With fewer samples, the metric's value is the maximum of the samples, and has no verdict.
    std::uint64_t samples_needed = 0;
    std::string_view samples_metric = {};  // the metric that contains the number of these samples
    std::string_view summary;
    std::string_view how;  // how the metric is measured, and what affects it
};

/// Returns all metrics in the order in which reports contain them.
std::span<const metric_info> known_metrics();

/// Returns true if the metric is a number of samples. Such a number is neither good nor bad.
bool counts_samples(const metric_info& metric);

/// Returns the metric with this name, or nullptr if the name is unknown.
const metric_info* find_metric(std::string_view name);

/// Returns a new result for this workload, contender and metric, which has no number yet.
result result_of(std::string workload, std::string contender, const metric_info& metric);

/// Returns the metric's title. For an unknown metric, which a third-party report can contain, returns the
/// name.
std::string_view title_of_metric(std::string_view name);

}  // namespace loopbench::reports
