// The OpenMetrics text format, https://openmetrics.io, for whoever keeps results in Prometheus.
#pragma once

#include <string>

#include "reports/results.hpp"

namespace loopbench::reports {

/// A gauge for every metric, with the median and the ends of its interval.
std::string write_openmetrics(const report& content);

}  // namespace loopbench::reports
