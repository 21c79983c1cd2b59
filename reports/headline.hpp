// Which metrics a workload is about. A sleep takes as long as it takes: what tells loops apart there is how
// late they wake and what CPU that costs.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/results.hpp"

namespace loopbench::reports {

/// The metrics that each workload with results is about, the one above all first, whether or not every
/// contender has them. As the report says; for a report or a workload that says nothing of it, by what was
/// measured: lateness and CPU where there is lateness, CPU and wakeups of the family `idle`, latency and
/// capacity where there is a capacity, and time of everything else, with the p99 and the CPU of what has
/// latencies. Takes one look at each result: there may be a hundred thousand. The names point into the
/// report.
std::map<std::string_view, std::vector<std::string>> headline_metrics_by_workload(const report& in);

/// By workload and contender what a gate is about: the results for the metrics that the workload is about, in
/// their order, as far as they have a verdict. The keys point into the report.
std::map<std::pair<std::string_view, std::string_view>, std::vector<const result*>> judged_headline(
    const report& in);

}  // namespace loopbench::reports
