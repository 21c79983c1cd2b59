#include "bench/harness/history/trends_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "bench/harness/history/tables.hpp"
#include "reports/model/json.hpp"
#include "reports/render/html/html.hpp"

namespace loopbench::bench {

namespace {

using json = nlohmann::ordered_json;

bool is_constant(const series& of) {
    return std::ranges::all_of(of.points,
                               [&](const auto& point) { return point.value == of.points.front().value; });
}

using count_of_run = std::map<const kept_run*, std::size_t>;

/// Counts the points of each run. Points of a constant series do not count, because the page stores their
/// value only once.
count_of_run count_points(const std::vector<series>& all) {
    count_of_run points_of;
    for (const auto& each : all) {
        const std::size_t points = is_constant(each) ? 0 : 1;
        for (const auto& point : each.points) points_of[point.run] += points;
    }
    return points_of;
}

/// Returns the latest runs with at most `points_max` points in total, but at least one run. The values of the
/// returned map are the indices of the runs on the page.
count_of_run shown_runs(const std::vector<kept_run>& runs, const count_of_run& points_of,
                        std::size_t points_max) {
    auto first = runs.size();
    for (std::size_t points = 0; first > 0; --first) {
        const auto found = points_of.find(&runs[first - 1]);
        points += found != points_of.end() ? found->second : 0;
        if (points > points_max && first < runs.size()) break;
    }
    count_of_run places;
    for (auto i = first; i < runs.size(); ++i)
        if (points_of.contains(&runs[i])) places.emplace(&runs[i], places.size());
    return places;
}

std::string column(const std::vector<std::optional<double>>& values) {
    constexpr int digits = 7;  // enough on a page; the history has nine digits
    std::string out;
    if (std::ranges::adjacent_find(values, std::not_equal_to{}) == values.end()) {
        reports::add_number(out, values.front(), digits);
        return out;
    }
    out = "[";
    for (const auto& value : values) {
        if (out.size() > 1) out += ',';
        reports::add_number(out, value, digits);
    }
    return out + "]";
}

using chart_key = std::tuple<subject, std::string, std::string, bool>;

chart_key chart_of(const series& each) {
    return {each.of, each.size, each.baseline, is_judged(each)};
}

json chart_json(const series& each) {
    auto of = reports::value_of(each.of);
    of.update({{"size", each.size}, {"ratio_to", each.baseline}, {"judged", is_judged(each)}});
    return of;
}

class page_writer {
public:
    page_writer(store& from, const std::vector<kept_run>& runs, const std::vector<series>& all,
                std::size_t points_max)
        : from_{from},
          all_{all},
          points_of_{count_points(all)},
          places_{shown_runs(runs, points_of_, points_max)} {
        for (const auto& change : changes_in(all)) changes_[change.in].push_back(change);
    }

    [[nodiscard]] std::string text(const std::string& reports) {
        const auto charts = charts_text();  // called first: fills names_, last_runs_ and lists_
        return fmt::format(
            R"({{"runs":{},"all_runs":{},"machines":{},"contenders":{},"run_lists":{},"reports":{},"charts":{}}})",
            reports::dump(runs_json(!reports.empty())), points_of_.size(), reports::dump(machines_json()),
            reports::dump(contenders_json()), reports::dump(lists_), reports::dump(reports), charts);
    }

    [[nodiscard]] std::vector<const kept_run*> shown() const {
        std::vector<const kept_run*> all;
        for (const auto& [run, place] : places_) all.push_back(run);
        return all;
    }

private:
    [[nodiscard]] json runs_json(bool with_pages) const {
        auto list = json::array();
        for (const auto& [run, place] : places_)
            list.push_back({{"id", run->id},
                            {"date", run->date},
                            {"build", build_name(*run)},
                            {"commit", run->commit},
                            {"dirty", run->dirty ? json(*run->dirty) : json(nullptr)},
                            {"compiler", run->compiler},
                            {"kernel", run->kernel},
                            {"size", run->size},
                            {"machine", run->machine.number},
                            {"page", with_pages ? json(report_page_name(*run)) : json(nullptr)}});
        return list;
    }

    [[nodiscard]] json machines_json() const {
        std::map<std::size_t, std::string> names;
        for (const auto& [run, place] : places_) names[run->machine.number] = machine_name(run->machine);
        auto list = json::array();
        for (const auto& [number, name] : names) list.push_back({{"number", number}, {"name", name}});
        return list;
    }

    json contenders_json() {
        std::map<row_id, std::vector<reports::contender>> described;
        auto list = json::array();
        for (std::size_t i = 0; i < names_.size(); ++i) {
            const auto run = last_runs_[i];
            if (!described.contains(run)) {
                auto report = from_.report_of(run);
                described[run] = report ? std::move(report->contenders) : std::vector<reports::contender>{};
            }
            const auto found = std::ranges::find(described[run], names_[i], &reports::contender::name);
            json one{{"name", names_[i]}, {"library", nullptr}, {"context", json::object()}};
            if (found != described[run].end()) {
                if (found->library) one["library"] = *found->library;
                for (const auto* key : {"role", "driver"})
                    if (const auto value = found->context.find(key); value != found->context.end())
                        one["context"][key] = *value;
            }
            list.push_back(std::move(one));
        }
        return list;
    }

    std::size_t place_of_contender(const std::string& name) {
        const auto [found, is_new] = contenders_.try_emplace(name, names_.size());
        if (is_new) {
            names_.push_back(name);
            last_runs_.push_back(0);
        }
        return found->second;
    }

    std::size_t place_of_list(json list) {
        const auto [found, is_new] = list_places_.try_emplace(reports::dump(list), lists_.size());
        if (is_new) lists_.push_back(std::move(list));
        return found->second;
    }

    [[nodiscard]] json changes_json(const series& each, std::size_t first) const {
        auto list = json::array();
        const auto found = changes_.find(&each);
        if (found == changes_.end()) return list;
        for (const auto& change : found->second) {
            if (change.at <= first) continue;
            const double shift = std::abs(change.better.median);
            list.push_back(
                {{"at", change.at - first},
                 {"is", reports::name_of(change.is)},
                 {"size", is_logarithmic(each) ? 100 * std::expm1(shift) : shift},
                 {"unit", size_of(change).unit},
                 {"text", size_text(change)},
                 {"before", reports::number_or_null(change.before)},
                 {"after", reports::number_or_null(change.after)},
                 {"also", also_changed(*each.points[change.at - 1].run, *each.points[change.at].run)}});
        }
        return list;
    }

    std::string line_text(const series& each) {
        const auto first_shown =
            std::ranges::find_if(each.points, [&](const auto& point) { return places_.contains(point.run); });
        if (first_shown == each.points.end()) return "";
        const auto first = static_cast<std::size_t>(first_shown - each.points.begin());
        auto list = json::array();
        std::vector<std::optional<double>> values, lows, highs;
        for (auto i = first; i < each.points.size(); ++i) {
            list.push_back(places_.at(each.points[i].run));
            values.emplace_back(each.points[i].value);
            lows.push_back(each.intervals[i].low);
            highs.push_back(each.intervals[i].high);
        }
        const auto contender = place_of_contender(each.contender);
        last_runs_[contender] = std::max(last_runs_[contender], each.points.back().run->id);
        return fmt::format(
            R"({{"contender":{},"machine":{},"runs":{},"values":{},"lows":{},"highs":{},"changes":{}}})",
            contender, each.machine.number, place_of_list(std::move(list)), column(values), column(lows),
            column(highs), reports::dump(changes_json(each, first)));
    }

    std::string charts_text() {
        std::map<chart_key, std::vector<const series*>> charts;
        for (const auto& each : all_) charts[chart_of(each)].push_back(&each);
        std::string out = "[";
        for (const auto& [key, members] : charts) {
            std::string lines;
            for (const auto* each : members)
                if (const auto line = line_text(*each); !line.empty())
                    lines += (lines.empty() ? "" : ",\n") + line;
            if (lines.empty()) continue;
            fmt::format_to(std::back_inserter(out), "{}{{\"of\":{},\"lines\":[{}]}}",
                           out.size() > 1 ? ",\n" : "", reports::dump(chart_json(*members.front())), lines);
        }
        return out + "]";
    }

    store& from_;
    const std::vector<series>& all_;
    const count_of_run points_of_, places_;
    std::map<const series*, std::vector<series_change>> changes_;
    std::map<std::string, std::size_t> contenders_, list_places_;
    std::vector<std::string> names_;
    std::vector<row_id> last_runs_;
    json lists_ = json::array();
};

}  // namespace

std::string report_page_name(const kept_run& run) {
    constexpr std::size_t digits = 8;
    auto name = fmt::format("{}-{}-{}.html", run.id, run.date, run.content.substr(0, digits));
    std::ranges::replace(name, ':', '-');
    std::ranges::replace(name, '/', '-');
    return name;
}

trends_page write_trends_page(store& from, const std::vector<kept_run>& runs, const std::vector<series>& all,
                              const std::string& reports, std::size_t points_max) {
    page_writer page{from, runs, all, points_max};
    return {reports::write_trends_html(page.text(reports)), page.shown()};
}

}  // namespace loopbench::bench
