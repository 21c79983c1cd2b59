#include "bench/harness/summary/floor_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/catalog/floor_exceptions.hpp"
#include "bench/harness/statistics/median.hpp"
#include "bench/harness/summary/pairs_of_run.hpp"
#include "bench/harness/summary/warnings.hpp"
#include "reports/model/metrics.hpp"
#include "reports/model/report_index.hpp"

namespace loopbench::bench {

namespace {

using reports::result;

using best_floors = std::map<std::pair<std::string, std::string>, const result*>;

std::string_view kind_of(const reports::report& report, std::string_view name) {
    const auto found = std::ranges::find(report.contenders, name, &reports::contender::name);
    if (found == report.contenders.end()) return {};
    const auto driver = found->context.find("driver");
    if (driver == found->context.end() || !driver->is_string()) return {};
    const std::string_view text = driver->get_ref<const std::string&>();
    return text.substr(0, text.find_first_of(" ,"));
}

const result& floor_of_kind(const reports::report_index& index, const result& item, const result& best) {
    const auto kind = kind_of(index.whole(), item.contender);
    if (kind.empty()) return best;
    for (const auto* other : index.of(item.workload, item.metric))
        if (other->median && index.is_floor(other->contender) &&
            kind_of(index.whole(), other->contender) == kind)
            return *other;
    return best;
}

best_floors find_best_floors(const reports::report_index& index) {
    best_floors best;
    for (const auto& item : index.whole().results) {
        if (!item.median || !is_limited_by_floors(item.metric) || !index.is_floor(item.contender)) continue;
        const auto& [place, is_first] = best.try_emplace({item.workload, item.metric}, &item);
        if (!is_first && *item.median < *place->second->median) place->second = &item;
    }
    return best;
}

bool is_judged(const result& item) {
    const auto* const known = reports::find_metric(item.metric);
    return known != nullptr && known->floors == reports::floor_role::warn;
}

struct judged_with_floors {
    std::vector<const result*> results;
    std::vector<const result*> floors;
    std::vector<std::string_view> metrics;
    std::vector<comparison> comparisons;
};

judged_with_floors set_multiples(reports::report& report, const reports::report_index& index,
                                 const best_floors& best, const pairs_of_run& pairs) {
    judged_with_floors judged;
    for (auto& item : report.results) {
        const auto found = best.find({item.workload, item.metric});
        if (found == best.end() || !item.median) continue;
        const result& floor = *found->second;
        if (item.contender == floor.contender) {
            item.times_floor = reports::floor_multiple{floor.contender, 1, 1, 1};
            continue;
        }
        const auto ratios = pairs.comparison_of(item, floor);
        if (ratios.log_ratios.empty()) continue;
        auto multiples = ratios;  // inverted, because smaller samples are better
        for (double& log_ratio : multiples.log_ratios) log_ratio = -log_ratio;
        const auto multiple = ratio_from(multiples);
        item.times_floor =
            reports::floor_multiple{floor.contender, multiple.median, multiple.low, multiple.high};
        if (!is_judged(item)) continue;
        const result& of_kind = floor_of_kind(index, item, floor);
        // io_uring needs fewer system calls than the floors of other drivers. Therefore a contender on
        // io_uring can be faster than these floors.
        constexpr std::string_view uring = "io_uring";
        if (kind_of(report, item.contender) == uring && kind_of(report, of_kind.contender) != uring) continue;
        judged.results.push_back(&item);
        judged.floors.push_back(&of_kind);
        judged.metrics.push_back(item.metric);
        judged.comparisons.push_back(&of_kind == &floor ? ratios : pairs.comparison_of(item, of_kind));
    }
    return judged;
}

struct faster_one {
    const result* item;
    const result* floor;
    estimate multiple;
};

std::string text_of(const faster_one& found) {
    return fmt::format("{:.2g}× that of {} on {}", found.multiple.median, found.floor->contender,
                       found.item->workload);
}

/// Adds a warning for each metric and each reason why contenders are faster than their floor. For example, a
/// spinning loop is faster than the floor on every timer workload. Returns the results that are below their
/// floor by more than law_margin and without a known reason.
std::vector<broken_law> judge_faster_ones(reports::report& report, const judged_with_floors& judged,
                                          const verdict_rule& rule) {
    using cells = std::map<std::string, std::vector<faster_one>>;
    std::map<std::pair<std::string, std::string_view>, cells> by_reason;
    std::vector<broken_law> broken;
    const auto verdicts = judge_families(judged.metrics, judged.comparisons, rule);
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
        if (verdicts[i].verdict != reports::verdict::faster) continue;
        auto multiples = judged.comparisons[i];
        for (double& log_ratio : multiples.log_ratios) log_ratio = -log_ratio;
        const faster_one found{judged.results[i], judged.floors[i], ratio_from(multiples)};
        const auto why = why_faster_than_floor(found.item->workload, found.item->metric);
        if (why.empty() && found.multiple.high && *found.multiple.high < 1 - law_margin)
            broken.push_back({found.item->workload, found.item->contender,
                              fmt::format("impossible numbers: {} is {}, and no known reason explains this",
                                          reports::title_of_metric(found.item->metric), text_of(found))});
        by_reason[{found.item->metric, why}][found.item->contender].push_back(found);
    }
    for (const auto& [key, found] : by_reason) {
        std::vector<std::string> parts;
        for (const auto& [who, where] : found) {
            const auto& least =
                *std::ranges::min_element(where, {}, [](const auto& each) { return each.multiple.median; });
            parts.push_back(
                fmt::format("{} has {}{}", who, text_of(least),
                            where.size() > 1 ? fmt::format(" and {} more", where.size() - 1) : ""));
        }
        report.warnings.push_back(faster_than_floor(key.first, parts, key.second));
    }
    return broken;
}

}  // namespace

bool is_limited_by_floors(std::string_view metric) {
    const auto* const known = reports::find_metric(metric);
    return known != nullptr && known->floors != reports::floor_role::none;
}

std::vector<broken_law> compare_with_floors(reports::report& report, const verdict_rule& rule,
                                            const run_plan& plan, const sample_table& samples) {
    const reports::report_index index{report};
    const auto best = find_best_floors(index);
    return judge_faster_ones(report, set_multiples(report, index, best, {plan, samples}), rule);
}

}  // namespace loopbench::bench
