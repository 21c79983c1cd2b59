// Works on the results alone: their samples are by block, so that quotients within blocks can be taken here.
#include "bench/summary/floor_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/floor_exceptions.hpp"
#include "bench/statistics/median.hpp"
#include "bench/summary/warnings.hpp"

namespace loopbench::bench {

namespace {

using reports::result;

/// By workload and metric.
using best_floors = std::map<std::pair<std::string, std::string>, const result*>;

best_floors find_best_floors(const reports::report& report) {
    std::set<std::string> floors;
    for (const auto& who : report.contenders)
        if (reports::is_floor(who)) floors.insert(who.name);
    best_floors best;
    for (const auto& item : report.results) {
        if (!item.median || !is_limited_by_floors(item.metric) || !floors.contains(item.contender)) continue;
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
struct judged_family {
    std::vector<const result*> results;
    std::vector<std::vector<double>> log_ratios;
};

using families = std::map<std::string, judged_family>;  // by metric, as of the other verdicts

families set_multiples(reports::report& report, const best_floors& best) {
    families judged;
    for (auto& item : report.results) {
        const auto found = best.find({item.workload, item.metric});
        if (found == best.end()) continue;
        const result& floor = *found->second;
        if (item.contender == floor.contender) {
            item.times_floor = reports::floor_multiple{floor.contender, 1, 1, 1};
            continue;
        }
        const auto log_multiples = paired_log_ratios(item.samples, floor.samples);
        if (log_multiples.empty()) continue;
        const auto multiple = ratio_from(log_multiples);
        item.times_floor =
            reports::floor_multiple{floor.contender, multiple.median, multiple.low, multiple.high};
        if (!is_judged(item)) continue;
        judged[item.metric].results.push_back(&item);
        judged[item.metric].log_ratios.push_back(paired_log_ratios(floor.samples, item.samples));
    }
    return judged;
}

/// One warning for all that have the same reason, since a loop that spins is faster on every workload of
/// timers.
void warn_of_faster_ones(reports::report& report, const judged_family& judged, const verdict_rule& rule) {
    // By workload: "who (0.12 of the floor's)".
    using cells = std::map<std::string, std::vector<std::string>>;
    std::map<std::pair<std::string, std::string_view>, cells> by_reason;
    const auto verdicts = judge_all(judged.log_ratios, rule);
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
        if (verdicts[i].verdict != reports::verdict::faster) continue;
        const result& item = *judged.results[i];
        by_reason[{item.metric, why_faster_than_floor(item.workload, item.metric)}][item.workload].push_back(
            fmt::format("{} ({:.2g} times {})", item.contender, item.times_floor->median,
                        item.times_floor->floor));
    }
    for (const auto& [key, found] : by_reason) {
        std::vector<std::string> parts;
        for (const auto& [workload, who] : found)
            parts.push_back(fmt::format("{} by {}", workload, fmt::join(who, ", ")));
        report.warnings.push_back(faster_than_floor(key.first, parts, key.second));
    }
}

}  // namespace

bool is_limited_by_floors(std::string_view metric) {
    return metric == "time" || metric.starts_with("latency_") || metric.starts_with("late_");
}

void compare_with_floors(reports::report& report, const verdict_rule& rule) {
    const auto best = find_best_floors(report);
    for (const auto& [metric, judged] : set_multiples(report, best))
        warn_of_faster_ones(report, judged, rule);
}

}  // namespace loopbench::bench
