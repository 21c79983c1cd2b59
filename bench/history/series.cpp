#include "bench/history/series.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "bench/experiment/selection.hpp"
#include "bench/statistics/change_points.hpp"
#include "bench/statistics/rank_test.hpp"

namespace loopbench::bench {

namespace {

std::vector<std::string> chosen(const std::vector<kept_measure>& measures, std::string subject::*name,
                                const std::vector<std::string>& patterns, const char* kind) {
    std::vector<std::string> all;
    for (const auto& each : measures)
        if (std::ranges::find(all, each.of.*name) == all.end()) all.push_back(each.of.*name);
    return select(all, patterns, kind);
}

bool contains(const std::vector<std::string>& all, const std::string& one) {
    return std::ranges::find(all, one) != all.end();
}

std::vector<kept_measure> chosen_measures(store& from, const series_choice& choice) {
    auto all = from.measures();
    const auto workloads = chosen(all, &subject::workload, choice.workloads, "workload in the history");
    const auto metrics = chosen(all, &subject::metric, choice.metrics, "metric in the history");
    std::erase_if(all, [&](const kept_measure& each) {
        const bool is_wanted = choice.metrics.empty() ? each.headline || each.of.deterministic
                                                      : contains(metrics, each.of.metric);
        return !is_wanted || !contains(workloads, each.of.workload);
    });
    std::ranges::sort(all, {}, [](const kept_measure& each) { return std::tie(each.of, each.id); });
    return all;
}

/// A number for each name: the versions of a contender have one.
struct chosen_contender {
    std::string name;
    std::size_t number = 0;
};

std::map<row_id, chosen_contender> chosen_contenders(store& from, const std::vector<std::string>& patterns) {
    std::map<row_id, chosen_contender> all;
    std::set<std::string> names;
    for (auto& each : from.contenders()) {
        names.insert(each.name);
        all[each.id].name = std::move(each.name);
    }
    const auto wanted =
        select(std::vector<std::string>(names.begin(), names.end()), patterns, "contender in the history");
    std::erase_if(all, [&](const auto& each) { return !contains(wanted, each.second.name); });
    for (auto& [id, who] : all)
        who.number = static_cast<std::size_t>(std::distance(names.begin(), names.find(who.name)));
    return all;
}

/// Whether the run says something of this measure.
bool counts_for(const kept_run& run, const subject& of) {
    return run.complete && (of.deterministic || run.fitness != reports::fitness::unfit);
}

/// What is compared with what: logarithms, so that twice as much is as far as half, or counts as they are.
bool is_logarithmic(const series& of) {
    return !of.of.deterministic &&
           std::ranges::all_of(of.points, [](const auto& point) { return point.value > 0; });
}

/// Above is better.
std::vector<double> goodness(const series& of) {
    const bool logarithmic = is_logarithmic(of);
    const double sign = of.is_ratio() || of.of.better == reports::direction::larger ? 1 : -1;
    std::vector<double> all;
    for (const auto& point : of.points)
        all.push_back(sign * (logarithmic ? std::log(point.value) : point.value));
    return all;
}

double median_of_values(const series& of, std::size_t begin, std::size_t end) {
    std::vector<double> values;
    for (auto i = begin; i < end; ++i) values.push_back(of.points[i].value);
    return median_of(values);
}

/// What runs have to have in common for a series, as a number each; ratios are to the run's baseline.
class conditions {
public:
    explicit conditions(const std::vector<kept_run>& runs) {
        for (const auto& run : runs) {
            const auto id = static_cast<std::size_t>(run.id);
            if (id >= of_run_.size()) of_run_.resize(id + 1);
            of_run_[id] = {&run, number_of(run, run.baseline), number_of(run, {})};
        }
    }

    struct of_run {
        const kept_run* run = nullptr;  // none: it came after the list of runs was read
        std::size_t of_ratios = 0, of_values = 0;
    };
    [[nodiscard]] of_run of(row_id run) const {
        const auto id = static_cast<std::size_t>(run);
        return id < of_run_.size() ? of_run_[id] : of_run{};
    }

private:
    std::size_t number_of(const kept_run& run, std::string_view baseline) {
        return numbers_.try_emplace({run.machine.id, run.size, baseline}, numbers_.size()).first->second;
    }

    std::map<std::tuple<row_id, std::string_view, std::string_view>, std::size_t> numbers_;
    std::vector<of_run> of_run_;
};

}  // namespace

std::vector<series> read_series(store& from, const std::vector<kept_run>& runs, const series_choice& choice) {
    const conditions known{runs};
    const auto contenders = chosen_contenders(from, choice.contenders);
    std::vector<series> all;
    for (const auto& each : chosen_measures(from, choice)) {
        std::map<std::pair<std::size_t, std::size_t>, series> found;
        from.each_point(each.id, [&](const point_of_run& point) {
            const auto when = known.of(point.run);
            const auto who = contenders.find(point.contender);
            if (when.run == nullptr || who == contenders.end() || !counts_for(*when.run, each.of)) return;
            auto& into = found[{who->second.number, point.is_ratio ? when.of_ratios : when.of_values}];
            if (into.points.empty())
                into = {each.of,
                        who->second.name,
                        when.run->machine,
                        when.run->size,
                        point.is_ratio ? when.run->baseline : "",
                        {}};
            into.points.push_back({when.run, point.value, point.low, point.high});
        });
        for (auto& [key, one] : found) {
            std::ranges::sort(one.points, {}, &series_point::run);  // in the order of `runs`
            all.push_back(std::move(one));
        }
    }
    return all;
}

bool is_judged(const series& each) {
    if (each.is_ratio() || each.of.deterministic) return true;
    return std::ranges::all_of(each.points, [](const auto& point) { return point.run->baseline.empty(); });
}

std::vector<series_change> changes_in(const std::vector<series>& all) {
    std::vector<std::vector<double>> values;
    std::vector<const series*> of;
    for (const auto& each : all)
        if (is_judged(each)) {
            values.push_back(goodness(each));
            of.push_back(&each);
        }
    const auto points = change_points(values);
    std::vector<series_change> changes;
    for (std::size_t s = 0; s < of.size(); ++s)
        for (std::size_t i = 0; i < points[s].size(); ++i) {
            const auto begin = i == 0 ? 0 : points[s][i - 1].at, at = points[s][i].at;
            const auto end = i + 1 == points[s].size() ? values[s].size() : points[s][i + 1].at;
            const std::span<const double> whole{values[s]};
            const auto better = shift_between(whole.subspan(begin, at - begin), whole.subspan(at, end - at));
            changes.push_back({of[s], at, points[s][i].p, median_of_values(*of[s], begin, at),
                               median_of_values(*of[s], at, end), better, better.median < 0});
        }
    std::ranges::stable_sort(changes, {},
                             [](const series_change& each) { return each.in->points[each.at].run; });
    return changes;
}

}  // namespace loopbench::bench
