#include "reports/headline.hpp"

#include <algorithm>

namespace loopbench::reports {

std::vector<std::string> usual_headline_metrics(const report& in, std::string_view workload) {
    const auto has = [&](std::string_view metric) {
        return std::ranges::any_of(in.results, [&](const result& each) {
            return each.workload == workload && each.metric == metric;
        });
    };
    if (has("capacity")) return {"latency_p99", "capacity"};
    if (workload.starts_with("idle/")) return {"spin", "wakeups"};
    if (has("late_p50")) return {"late_p50", "late_p99", "cpu"};
    if (has("latency_p99")) return {"time", "latency_p99", "cpu"};
    return {"time"};
}

std::vector<std::string> headline_metrics(const report& in, std::string_view workload) {
    const auto found = std::ranges::find(in.workloads, workload, &workload::name);
    return found == in.workloads.end() ? usual_headline_metrics(in, workload) : found->headline_metrics;
}

}  // namespace loopbench::reports
