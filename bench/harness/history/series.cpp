#include "bench/harness/history/series.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "bench/harness/experiment/selection.hpp"
#include "bench/harness/statistics/change_points.hpp"
#include "bench/harness/statistics/rank_test.hpp"
#include "bench/harness/trial/usage_error.hpp"
#include "reports/base/json_fields.hpp"

namespace loopbench::bench {

namespace {

namespace ondemand = simdjson::ondemand;

bool counts_for(const kept_run& run, const subject& of) {
    return of.deterministic || run.reliability != reports::reliability::unreliable;
}

std::vector<double> goodness(const series& of) {
    const bool logarithmic = is_logarithmic(of);
    const double sign = of.is_ratio() || of.of.better == reports::direction::larger ? 1 : -1;
    std::vector<double> all;
    for (const auto& point : of.points)
        all.push_back(sign * (logarithmic ? std::log(point.value) : point.value));
    return all;
}

/// Returns the direction of a change. If the interval contains zero, returns `neither`, because perhaps only
/// the spread of the values has changed.
change_direction direction_of(const estimate& better) {
    const double least = better.low.value_or(better.median), most = better.high.value_or(better.median);
    if (most < 0) return change_direction::worse;
    return least > 0 ? change_direction::better : change_direction::neither;
}

/// A collector of the points of the chosen series. It parses equal "of" objects only once and recognises them
/// by their text, because a thousand reports have ten million points.
class collector {
public:
    collector(const series_choice& choice, std::string place) : choice_{choice}, place_{std::move(place)} {}

    void add(const kept_run& run, std::string points) {
        if (points.empty() || !run.complete) return;
        points.reserve(points.size() + simdjson::SIMDJSON_PADDING);
        const run_at at{&run, condition_of(run, run.baseline), condition_of(run, {})};
        const auto damaged = [&](const std::exception& error) {
            return database_error{
                "the history in {} has damaged points for run {}: {}; check the database, or start a new "
                "history",
                place_, run.id, error.what()};
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

    [[nodiscard]] std::vector<series> series_found() && {
        refuse_unmatched(choice_.workloads, workloads_, "workload");
        refuse_unmatched(choice_.metrics, metrics_, "metric");
        refuse_unmatched(choice_.contenders, names_, "contender");
        std::ranges::sort(all_, {}, [](const series& each) {
            return std::tie(each.of, each.contender, each.machine.number, each.size, each.baseline);
        });
        return std::move(all_);
    }

private:
    using name_list = std::vector<std::string>;

    struct known_subject {
        subject of;
        bool is_chosen = false;
        /// The indices in `all_` of the subject's series, by condition (see run_at) and contender. An index
        /// is absent if the contender has no such series.
        std::map<std::size_t, std::vector<std::optional<std::size_t>>> places;
    };

    /// A run and its conditions. All runs of a series have the same condition: machine, size and, for ratios,
    /// baseline. `of_ratios` and `of_values` are the indices of the conditions of the run's ratios and of its
    /// values.
    struct run_at {
        const kept_run* run;
        std::size_t of_ratios, of_values;
    };

    struct met_contender {
        std::size_t number = 0;
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
            throw usage_error{
                "no {} in the history matches \"{}\"; {}`loopbench history trend` lists all series", kind,
                pattern, near.empty() ? "" : fmt::format("did you mean {}? ", near.front())};
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
        known_subject made;
        made.of = reports::read_value<subject>(reports::document{text}.root());
        place_of(workloads_, made.of.workload);
        place_of(metrics_, made.of.metric);
        made.is_chosen =
            matches_any(choice_.workloads, made.of.workload) && matches_any(choice_.metrics, made.of.metric);
        return subjects_.emplace(text, std::move(made)).first->second;
    }

    void add_subject(const run_at& at, const std::vector<met_contender>& contenders, ondemand::object found) {
        auto& into = known(found["of"].get_object().value());
        if (!into.is_chosen || !counts_for(*at.run, into.of)) return;
        add_points(into, at, contenders, true, found["ratios"].get_object().value());
        add_points(into, at, contenders, false, found["values"].get_object().value());
    }

    void add_points(known_subject& into, const run_at& at, const std::vector<met_contender>& contenders,
                    bool is_ratio, ondemand::object columns) {
        read_places(columns["of"].get_array().value(), into, at, contenders, is_ratio);
        each_number(columns["medians"].get_array().value(), [&](series& of, std::optional<double> value) {
            of.points.push_back({at.run, value.value_or(0)});
        });
        if (!choice_.intervals) return;
        each_number(columns["lows"].get_array().value(), [](series& of, std::optional<double> low) {
            of.intervals.push_back({low, {}});
        });
        each_number(columns["highs"].get_array().value(),
                    [](series& of, std::optional<double> high) { of.intervals.back().high = high; });
    }

    void read_places(ondemand::array list, known_subject& into, const run_at& at,
                     const std::vector<met_contender>& contenders, bool is_ratio) {
        places_.clear();
        auto& known = into.places[is_ratio ? at.of_ratios : at.of_values];
        known.resize(std::max(known.size(), names_.size()));
        for (auto each : list) {
            const std::uint64_t contender = each.get_uint64().value();
            if (contender >= contenders.size())
                throw reports::format_error{"contender {} does not exist", contender};
            auto& place = places_.emplace_back();
            const auto& who = contenders[contender];
            if (!who.is_chosen) continue;
            auto& series_of_it = known[who.number];
            if (!series_of_it) {
                series_of_it = all_.size();
                all_.push_back({into.of,
                                names_[who.number],
                                at.run->machine,
                                at.run->size,
                                is_ratio ? at.run->baseline : "",
                                {},
                                {}});
            }
            place = series_of_it;
        }
    }

    template <class function>
    void each_number(ondemand::array column, function take) {
        auto place = places_.begin();
        for (auto each : column) {
            if (place == places_.end()) break;
            const bool is_missing = each.is_null().value();
            const auto number = is_missing ? std::nullopt : std::optional{each.get_double().value()};
            if (*place) take(all_[**place], number);
            ++place;
        }
        if (place != places_.end()) throw reports::format_error{"a list of numbers is too short"};
    }

    const series_choice& choice_;
    std::string place_;
    ondemand::parser parser_;
    name_list workloads_, metrics_, names_;
    std::map<std::string, known_subject, std::less<>> subjects_;  // the key is the JSON text of the subject
    std::map<std::tuple<std::size_t, std::string, std::string>, std::size_t> conditions_;
    std::vector<series> all_;
    std::vector<std::optional<std::size_t>> places_;
};

}  // namespace

std::vector<series> read_series(store& from, const std::vector<kept_run>& runs, const series_choice& choice) {
    collector all{choice, from.place()};
    for (const auto& run : runs) {
        all.add(run, from.points_of(run.id));
        if (!choice.metrics.empty()) all.add(run, from.other_points_of(run.id));
    }
    return std::move(all).series_found();
}

bool is_logarithmic(const series& of) {
    return !of.of.deterministic &&
           std::ranges::all_of(of.points, [](const auto& point) { return point.value > 0; });
}

double median_of_points(const series& of, std::size_t begin, std::size_t end) {
    std::vector<double> values;
    for (auto i = begin; i < end; ++i) values.push_back(of.points[i].value);
    return median_of(values);
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
            changes.push_back({of[s], at, points[s][i].p, median_of_points(*of[s], begin, at),
                               median_of_points(*of[s], at, end), better, direction_of(better)});
        }
    std::ranges::sort(changes, {}, [](const series_change& each) {
        return std::tuple{each.in->points[each.at].run, each.in};
    });
    return changes;
}

}  // namespace loopbench::bench
