#include "bench/harness/summary/driver_comparison.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/statistics/verdict.hpp"
#include "bench/harness/summary/pairs_of_run.hpp"

namespace loopbench::bench {

namespace {

using reports::result;

std::map<std::string_view, const result*> fastest_on(const reports::report& report, std::string_view driver) {
    std::set<std::string_view> those;
    for (const auto& who : report.contenders)
        if (!reports::is_floor(who) && reports::context_text(who.context, "driver") == driver)
            those.insert(who.name);
    std::map<std::string_view, const result*> fastest;
    for (const auto& item : report.results) {
        if (item.metric != "time" || !item.median || !those.contains(item.contender)) continue;
        const auto& [place, is_first] = fastest.try_emplace(item.workload, &item);
        if (!is_first && *item.median < *place->second->median) place->second = &item;
    }
    return fastest;
}

result* result_of(reports::report& report, const result& cell, std::string_view metric) {
    const auto found = std::ranges::find_if(report.results, [&](const result& each) {
        return each.metric == metric && reports::same_cell(each, cell);
    });
    return found == report.results.end() || !found->median ? nullptr : &*found;
}

}  // namespace

void compare_drivers(reports::report& report, const verdict_rule& rule, const run_plan& plan,
                     const sample_table& samples) {
    const auto on_uring = fastest_on(report, "io_uring"), on_epoll = fastest_on(report, "epoll");
    const pairs_of_run pairs{plan, samples};
    for (const std::string_view metric : {"time", "cpu"}) {
        std::vector<result*> compared;
        std::vector<comparison> comparisons;
        for (const auto& [workload, fastest] : on_uring) {
            const auto other = on_epoll.find(workload);
            if (other == on_epoll.end() || reports::is_disturbed(report, workload)) continue;
            auto* const item = result_of(report, *fastest, metric);
            const auto* const to = result_of(report, *other->second, metric);
            if (item == nullptr || to == nullptr) continue;
            auto ratios = pairs.comparison_of(*item, *to);
            if (ratios.log_ratios.empty()) continue;
            const auto found = ratio_from(ratios);
            item->to_epoll = reports::driver_ratio{to->contender, found.median, found.low, found.high};
            compared.push_back(item);
            comparisons.push_back(std::move(ratios));
        }
        const auto judged = judge_all(comparisons, rule);
        for (std::size_t i = 0; i < judged.size(); ++i) compared[i]->to_epoll->judged = judged[i].verdict;
    }
}

}  // namespace loopbench::bench
