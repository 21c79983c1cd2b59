#include "reports/model/report_index.hpp"

#include <algorithm>
#include <iterator>

namespace loopbench::reports {

namespace {

std::vector<std::string> usual_headline(std::string_view workload,
                                        const std::set<std::string_view>& measured) {
    const auto has = [&](std::string_view metric) { return measured.contains(metric); };
    if (has("capacity")) return {"latency_p99", "capacity"};
    if (workload.starts_with("idle/")) return {"spin", "wakeups"};
    if (has("late_p50")) return {"late_p50", "late_p99", "cpu"};
    if (workload == "command" && has("cpu")) {
        std::vector<std::string> all{"time", "cpu"};
        if (has("rss_peak")) all.emplace_back("rss_peak");
        return all;
    }
    if (has("latency_p99")) return {"time", "latency_p99", "cpu"};
    return {"time"};
}

}  // namespace

report_index::report_index(const report& of) : whole_{of} {
    for (const auto& who : of.contenders)
        if (reports::is_floor(who)) floors_.insert(who.name);
    std::map<std::string_view, std::set<std::string_view>> measured;
    for (const auto& item : of.results) {
        const auto [those, is_new] = measured.try_emplace(item.workload);
        if (is_new) workloads_.push_back(item.workload);
        those->second.insert(item.metric);
        results_[{item.workload, item.metric}].push_back(&item);
    }
    for (const auto& named : of.workloads)
        if (measured.contains(named.name)) headlines_.emplace(named.name, named.primary_metrics);
    for (const auto& [name, those] : measured) headlines_.try_emplace(name, usual_headline(name, those));
}

std::span<const result* const> report_index::of(std::string_view workload, std::string_view metric) const {
    const auto found = results_.find({workload, metric});
    return found != results_.end() ? std::span{found->second} : std::span<const result* const>{};
}

const result* report_index::find(std::string_view workload, std::string_view contender,
                                 std::string_view metric) const {
    const auto all = of(workload, metric);
    const auto found = std::ranges::find(all, contender, &result::contender);
    return found != all.end() ? *found : nullptr;
}

const result* report_index::number(std::string_view workload, std::string_view contender,
                                   std::string_view metric) const {
    const auto* const found = find(workload, contender, metric);
    return found != nullptr && found->median ? found : nullptr;
}

const std::vector<std::string>& report_index::headline(std::string_view workload) const {
    static const std::vector<std::string> none;
    const auto found = headlines_.find(workload);
    return found != headlines_.end() ? found->second : none;
}

bool report_index::is_about(std::string_view workload, std::string_view metric) const {
    return std::ranges::find(headline(workload), metric) != headline(workload).end();
}

std::vector<const result*> report_index::judged(std::string_view workload, std::string_view contender) const {
    std::vector<const result*> all;
    for (const auto& metric : headline(workload))
        std::ranges::copy_if(of(workload, metric), std::back_inserter(all), [&](const result* item) {
            return item->contender == contender && item->judged;
        });
    return all;
}

}  // namespace loopbench::reports
