// The OpenMetrics text format, https://openmetrics.io, for whoever keeps results in Prometheus.
#pragma once

#include <string>

#include "reports/results.hpp"

namespace loopbench::reports {

/// A gauge for every metric, with the median and the ends of its interval, and one that is 1 for every cell
/// without numbers, with status and reason.
std::string write_openmetrics(const report& content);

}  // namespace loopbench::reports
