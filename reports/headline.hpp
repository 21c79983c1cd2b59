// Which metrics a workload is about. A sleep takes as long as it takes: what tells loops apart there is how
// late they wake and what CPU that costs.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "reports/results.hpp"

namespace loopbench::reports {

/// The metrics that the workload is about, the one above all first, whether or not every contender has them:
/// as the report says, or as usual_headline_metrics() for a report or a workload that says nothing of it.
std::vector<std::string> headline_metrics(const report& in, std::string_view workload);

/// The same for every workload with results, by one look at each of these: a report may have thousands of
/// either. The names point into the report.
std::map<std::string_view, std::vector<std::string>> headline_metrics_by_workload(const report& in);

/// By what was measured: lateness and CPU where there is lateness, CPU and wakeups of the family `idle`,
/// latency and capacity where there is a capacity, and time of everything else, with the p99 and the CPU of
/// what has latencies.
std::vector<std::string> usual_headline_metrics(const report& in, std::string_view workload);

}  // namespace loopbench::reports
