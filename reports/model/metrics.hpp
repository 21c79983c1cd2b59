// The list of metrics. A contender's counter becomes a metric if its name is in this list.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "reports/model/results.hpp"

namespace loopbench::reports {

/// The way in which a floor's value is used to judge a contender's value.
enum class floor_role {
    none,
    show,  // the contender's value is shown as a multiple of the best floor's value
    warn   // like `show`; in addition, a value below that of the best floor causes a warning
};

struct metric_info {
    std::string_view name;
    std::string_view title;
    std::string_view unit;
    direction better = direction::smaller;
    bool deterministic = false;        // true for a count that does not depend on the machine's state
    bool valid_if_concurrent = false;  // true if other programs on the same core do not affect the value
    floor_role floors = floor_role::none;
    bool judged_by_tolerance = false;  // true if the gate's limit for this metric is --tolerate
    /// The number of samples that a percentile needs in each trial, or 0 for other metrics. With fewer
    /// samples, the value is their maximum and has no verdict.
    std::uint64_t samples_needed = 0;
    std::string_view samples_metric = {};  // the metric whose value is the number of these samples
    std::string_view summary;
    std::string_view how;  // how the metric is measured, and what affects it
};

std::span<const metric_info> known_metrics();

/// Returns true if the metric is a number of samples. Such a number is neither good nor bad, so contenders
/// are not compared by it.
bool counts_samples(const metric_info& metric);

const metric_info* find_metric(std::string_view name);

result result_of(std::string workload, std::string contender, const metric_info& metric);

/// Returns the metric's title. Returns the name of an unknown metric, which a third-party report can contain,
/// unchanged.
std::string_view title_of_metric(std::string_view name);

}  // namespace loopbench::reports
