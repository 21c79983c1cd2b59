#include "reports/headline.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace loopbench::reports {

namespace {

using metric_set = std::set<std::string_view>;

std::vector<std::string> usual(std::string_view workload, const metric_set& measured) {
    const auto has = [&](std::string_view metric) { return measured.contains(metric); };
    if (has("capacity")) return {"latency_p99", "capacity"};
    if (workload.starts_with("idle/")) return {"spin", "wakeups"};
    if (has("late_p50")) return {"late_p50", "late_p99", "cpu"};
    if (has("latency_p99")) return {"time", "latency_p99", "cpu"};
    return {"time"};
}

}  // namespace

std::map<std::string_view, std::vector<std::string>> headline_metrics_by_workload(const report& in) {
    std::map<std::string_view, metric_set> measured;
    for (const auto& item : in.results) measured[item.workload].insert(item.metric);
    std::map<std::string_view, std::vector<std::string>> all;
    for (const auto& [name, metrics] : measured) all.emplace(name, usual(name, metrics));
    std::set<std::string_view> seen;
    for (const auto& named : in.workloads)
        if (const auto found = all.find(named.name); found != all.end() && seen.insert(named.name).second)
            found->second = named.headline_metrics;
    return all;
}

std::map<std::pair<std::string_view, std::string_view>, std::vector<const result*>> judged_headline(
    const report& in) {
    const auto headline = headline_metrics_by_workload(in);
    const auto rank_of = [&](const result& item) {
        const auto& metrics = headline.at(item.workload);
        return std::ranges::find(metrics, item.metric) - metrics.begin();
    };
    std::map<std::pair<std::string_view, std::string_view>, std::vector<const result*>> all;
    for (const auto& item : in.results)
        if (item.judged && rank_of(item) < std::ssize(headline.at(item.workload)))
            all[{item.workload, item.contender}].push_back(&item);
    for (auto& [cell, results] : all)
        std::ranges::sort(results, {}, [&](const result* item) { return rank_of(*item); });
    return all;
}

}  // namespace loopbench::reports
