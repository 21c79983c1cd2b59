#include "bench/history/series.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "bench/experiment/selection.hpp"
#include "bench/statistics/change_points.hpp"
#include "bench/statistics/rank_test.hpp"
#include "bench/trial/usage_error.hpp"
#include "reports/json_node.hpp"

namespace loopbench::bench {

namespace {

namespace ondemand = simdjson::ondemand;

bool matches_any(const std::vector<std::string>& patterns, std::string_view name) {
    return patterns.empty() ||
           std::ranges::any_of(patterns, [&](const auto& pattern) { return matches(pattern, name); });
}

/// Whether the run says something of this subject.
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

/// Puts the points of one run after the other into their series. A thousand reports have ten million of them:
/// names are looked at once, and then known by the text that they stand in.
class collector {
public:
    explicit collector(const series_choice& choice) : choice_{choice} {}

    /// Throws database_error for points that are damaged.
    void add(const kept_run& run, std::string points) {
        if (points.empty() || !run.complete) return;
        points.reserve(points.size() + simdjson::SIMDJSON_PADDING);
        const run_at at{&run, condition_of(run, run.baseline), condition_of(run, {})};
        const auto damaged = [&](const std::exception& error) {
            return database_error{
                fmt::format("what is kept of run {} is damaged: {}; look whether the database is, or begin "
                            "another history",
                            run.id, error.what())};
        };
        try {
            auto document = parser_.iterate(points);
            const auto contenders = contenders_in(document["contenders"]);
            for (auto each : document["subjects"].get_array())
                add_subject(at, contenders, each.get_object().value());
        } catch (const simdjson::simdjson_error& error) {
            throw damaged(error);
        } catch (const reports::format_error& error) {
            throw damaged(error);
        }
    }

    /// By workload, metric and contender. Throws usage_error for a pattern that matched nothing.
    [[nodiscard]] std::vector<series> series_found() && {
        refuse_unmatched(choice_.workloads, workloads_, "workload");
        refuse_unmatched(choice_.metrics, metrics_, "metric");
        refuse_unmatched(choice_.contenders, names_, "contender");
        std::ranges::stable_sort(all_, {},
                                 [](const series& each) { return std::tie(each.of, each.contender); });
        return std::move(all_);
    }

private:
    /// Names that were met, each once.
    using name_list = std::vector<std::string>;

    struct known_subject {
        subject of;
        bool is_chosen = false;  // by its workload and, if those are chosen, its metric
        std::map<std::pair<std::size_t, std::size_t>, std::size_t> places;  // by contender and condition
    };

    /// A run, and what it has in common with others of a series: the machine, the size and, of ratios, the
    /// baseline.
    struct run_at {
        const kept_run* run;
        std::size_t of_ratios, of_values;
    };

    struct met_contender {
        std::size_t number = 0;  // of its name, in all runs
        bool is_chosen = false;
    };

    static std::size_t place_of(name_list& all, std::string_view name) {
        const auto found = std::ranges::find(all, name);
        if (found != all.end()) return static_cast<std::size_t>(found - all.begin());
        all.emplace_back(name);
        return all.size() - 1;
    }

    static void refuse_unmatched(const std::vector<std::string>& patterns, const name_list& met,
                                 const char* kind) {
        for (const auto& pattern : patterns) {
            if (std::ranges::any_of(met, [&](const auto& name) { return matches(pattern, name); })) continue;
            const auto near = nearest(pattern, met);
            throw usage_error{fmt::format(
                "no {} in the history matches \"{}\"; {}`loopbench history trend` shows what is there", kind,
                pattern, near.empty() ? "" : fmt::format("did you mean {}? ", near.front()))};
        }
    }

    std::size_t condition_of(const kept_run& run, const std::string& baseline) {
        return conditions_.try_emplace({run.machine.number, run.size, baseline}, conditions_.size())
            .first->second;
    }

    std::vector<met_contender> contenders_in(simdjson::simdjson_result<ondemand::value> list) {
        std::vector<met_contender> all;
        for (auto each : list.get_array()) {
            const std::string_view name = each.get_string().value();
            all.push_back({place_of(names_, name), matches_any(choice_.contenders, name)});
        }
        return all;
    }

    known_subject& known(ondemand::object of) {
        const std::string_view text = of.raw_json().value();
        if (const auto found = subjects_.find(text); found != subjects_.end()) return found->second;
        const auto fields = reports::parse_strictly(text);
        const reports::node said{fields, "of"};
        known_subject made;
        made.of = {said.at("workload").text(),
                   said.at("metric").text(),
                   said.at("unit").text(),
                   said.at("direction").one_of<reports::direction>(reports::direction_names),
                   said.at("deterministic").flag(),
                   said.at("way").one_of<reports::way>(reports::way_names)};
        place_of(workloads_, made.of.workload);
        place_of(metrics_, made.of.metric);
        made.is_chosen =
            matches_any(choice_.workloads, made.of.workload) && matches_any(choice_.metrics, made.of.metric);
        return subjects_.emplace(text, std::move(made)).first->second;
    }

    void add_subject(const run_at& at, const std::vector<met_contender>& contenders, ondemand::object found) {
        auto& into = known(found["of"].get_object().value());
        const bool headline = found["headline"].get_bool().value();
        const bool is_about = !choice_.metrics.empty() || headline || into.of.deterministic;
        if (!into.is_chosen || !is_about || !counts_for(*at.run, into.of)) return;
        for (auto point : found["ratios"].get_array())
            add_point(into, at, contenders, true, point.get_array().value());
        for (auto point : found["values"].get_array())
            add_point(into, at, contenders, false, point.get_array().value());
    }

    /// The number of the name; nothing when it is not chosen or not there.
    static std::optional<std::size_t> contender_at(double place, const std::vector<met_contender>& all) {
        if (!(place >= 0 && place < static_cast<double>(all.size()))) return std::nullopt;
        const auto& met = all[static_cast<std::size_t>(place)];
        return met.is_chosen ? std::optional{met.number} : std::nullopt;
    }

    void add_point(known_subject& into, const run_at& at, const std::vector<met_contender>& contenders,
                   bool is_ratio, ondemand::array point) {
        std::array<std::optional<double>, 4> numbers;
        std::size_t count = 0;
        for (auto each : point) {
            if (count == numbers.size()) break;
            const bool is_missing = each.is_null().value();
            if (!is_missing) numbers[count] = each.get_double().value();
            ++count;
        }
        const auto& [contender, value, low, high] = numbers;
        const auto who = contender ? contender_at(*contender, contenders) : std::nullopt;
        if (!who || !value) return;
        const auto condition = is_ratio ? at.of_ratios : at.of_values;
        const auto [place, is_new] = into.places.try_emplace({*who, condition}, all_.size());
        if (is_new)
            all_.push_back(
                {into.of, names_[*who], at.run->machine, at.run->size, is_ratio ? at.run->baseline : "", {}});
        all_[place->second].points.push_back({at.run, *value, low, high});
    }

    const series_choice& choice_;
    ondemand::parser parser_;
    name_list workloads_, metrics_, names_;
    std::map<std::string, known_subject, std::less<>> subjects_;  // by the text of "of"
    std::map<std::tuple<std::size_t, std::string, std::string>, std::size_t> conditions_;
    std::vector<series> all_;
};

}  // namespace

std::vector<series> read_series(store& from, const std::vector<kept_run>& runs, const series_choice& choice) {
    collector all{choice};
    for (const auto& run : runs) all.add(run, from.points_of(run.id));
    return std::move(all).series_found();
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
