// The best floor by the results, and quotients within blocks as of every other ratio.
#include "bench/summary/floor_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/floor_exceptions.hpp"
#include "bench/statistics/median.hpp"
#include "bench/summary/pairs_of_run.hpp"
#include "bench/summary/warnings.hpp"
#include "reports/metrics.hpp"
#include "reports/report_index.hpp"

namespace loopbench::bench {

namespace {

using reports::result;

/// By workload and metric.
using best_floors = std::map<std::pair<std::string, std::string>, const result*>;

best_floors find_best_floors(const reports::report& report) {
    const reports::report_index index{report};
    best_floors best;
    for (const auto& item : report.results) {
        if (!item.median || !is_limited_by_floors(item.metric) || !index.is_floor(item.contender)) continue;
        const auto& [place, is_first] = best.try_emplace({item.workload, item.metric}, &item);
        if (!is_first && *item.median < *place->second->median) place->second = &item;
    }
    return best;
}

/// Whether it is worth a warning that a value is below the floor's. The other percentiles say the same again,
/// or hang on single events.
bool is_judged(const result& item) {
    return item.metric == "time" || item.metric == "late_p50";
}

/// Comparisons of contenders with floors, as log ratios that are above 0 for who is better than the floor.
struct judged_with_floors {
    std::vector<const result*> results;
    std::vector<std::string_view> metrics;  // each a family, as of the other verdicts
    std::vector<comparison> comparisons;
};

judged_with_floors set_multiples(reports::report& report, const best_floors& best,
                                 const pairs_of_run& pairs) {
    judged_with_floors judged;
    for (auto& item : report.results) {
        const auto found = best.find({item.workload, item.metric});
        if (found == best.end()) continue;
        const result& floor = *found->second;
        if (item.contender == floor.contender) {
            item.times_floor = reports::floor_multiple{floor.contender, 1, 1, 1};
            continue;
        }
        const auto ratios = pairs.comparison_of(item, floor);
        if (ratios.log_ratios.empty()) continue;
        auto multiples = ratios;  // the other way round, as smaller is better in all of these
        for (double& log_ratio : multiples.log_ratios) log_ratio = -log_ratio;
        const auto multiple = ratio_from(multiples);
        item.times_floor =
            reports::floor_multiple{floor.contender, multiple.median, multiple.low, multiple.high};
        if (!is_judged(item)) continue;
        judged.results.push_back(&item);
        judged.metrics.push_back(item.metric);
        judged.comparisons.push_back(ratios);
    }
    return judged;
}

/// One warning for all that have the same reason, since a loop that spins is faster on every workload of
/// timers.
void warn_of_faster_ones(reports::report& report, const judged_with_floors& judged,
                         const verdict_rule& rule) {
    using cells = std::map<std::string, std::vector<const result*>>;  // by contender
    std::map<std::pair<std::string, std::string_view>, cells> by_reason;
    const auto verdicts = judge_families(judged.metrics, judged.comparisons, rule);
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
        if (verdicts[i].verdict != reports::verdict::faster) continue;
        const result& item = *judged.results[i];
        by_reason[{item.metric, why_faster_than_floor(item.workload, item.metric)}][item.contender].push_back(
            &item);
    }
    for (const auto& [key, found] : by_reason) {
        std::vector<std::string> parts;
        for (const auto& [who, where] : found) {
            const auto& least = **std::ranges::min_element(
                where, {}, [](const auto* each) { return each->times_floor->median; });
            parts.push_back(fmt::format(
                "{} {:.2g} times {} on {}{}", who, least.times_floor->median, least.times_floor->floor,
                least.workload, where.size() > 1 ? fmt::format(" and {} more", where.size() - 1) : ""));
        }
        report.warnings.push_back(faster_than_floor(key.first, parts, key.second));
    }
}

}  // namespace

bool is_limited_by_floors(std::string_view metric) {
    return metric == "time" || metric.starts_with("latency_") || metric.starts_with("late_");
}

void compare_with_floors(reports::report& report, const verdict_rule& rule, const run_plan& plan,
                         const sample_table& samples) {
    const auto best = find_best_floors(report);
    warn_of_faster_ones(report, set_multiples(report, best, {plan, samples}), rule);
}

}  // namespace loopbench::bench
