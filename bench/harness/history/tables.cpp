#include "bench/harness/history/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "reports/model/json.hpp"
#include "reports/render/columns.hpp"
#include "reports/render/formats/csv.hpp"
#include "reports/render/terminal/fixed_width.hpp"

namespace loopbench::bench {

namespace {

using json = nlohmann::ordered_json;
using row = std::vector<std::string>;

std::string table(std::vector<row> rows, std::size_t names) {
    for (auto& cells : rows)
        for (auto& cell : cells) cell = reports::printable(cell);
    return reports::aligned(rows, names);
}

json text_or_null(const std::string& text) {
    return text.empty() ? json(nullptr) : json(text);
}

json run_json(const kept_run& run) {
    return {{"run", run.id},
            {"date", run.date},
            {"commit", text_or_null(run.commit)},
            {"dirty", run.dirty ? json(*run.dirty) : json(nullptr)},
            {"compiler", text_or_null(run.compiler)},
            {"kernel", text_or_null(run.kernel)}};
}

json machine_json(const kept_machine& machine) {
    return {{"number", machine.number},
            {"name", text_or_null(machine.name)},
            {"cpu_model", machine.cpu_model},
            {"cores", machine.cores},
            {"memory_gib", machine.memory_gib}};
}

json series_json(const series& of) {
    return {{"workload", of.of.workload},
            {"contender", of.contender},
            {"metric", of.of.metric},
            {"unit", of.of.unit},
            {"direction", name_of(of.of.better)},
            {"deterministic", of.of.deterministic},
            {"pairing", name_of(of.of.made)},
            {"size", text_or_null(of.size)},
            {"ratio_to", text_or_null(of.baseline)},
            {"machine", machine_json(of.machine)}};
}

std::string state_of(const kept_run& run) {
    if (!run.complete) return "interrupted";
    return std::string{name_of(run.reliability)};
}

std::string value_text(const series& of, double value) {
    if (!of.is_ratio() && of.of.unit == "ns") return reports::human_time(value);
    return reports::three_digits(value);
}

std::string interval_text(const series& of, std::size_t point) {
    const auto& [low, high] = of.intervals[point];
    if (!low || !high) return "";
    return fmt::format("[{}, {}]", value_text(of, *low), value_text(of, *high));
}

std::string what_is_shown(const series& of) {
    return of.is_ratio() ? "ratio to " + of.baseline : of.of.unit;
}

std::string all_series(const std::vector<series>& all) {
    std::vector<row> rows{{"workload", "contender", "metric", "pairing", "machine", "size", "runs", "since",
                           "median", "last", "unit"}};
    for (const auto& each : all) {
        const auto& last = each.points.back();
        rows.push_back({each.of.workload, each.contender, each.of.metric, std::string{name_of(each.of.made)},
                        fmt::format("{}", each.machine.number), each.size,
                        fmt::format("{}", each.points.size()), each.points.front().run->date.substr(0, 10),
                        value_text(each, median_of_points(each, 0, each.points.size())),
                        value_text(each, last.value), what_is_shown(each)});
    }
    return table(std::move(rows), 6);
}

std::string one_series(const std::vector<series>& all) {
    const auto& only = all.front();
    const auto changes = changes_in(all);
    std::vector<row> rows{{"run", "date", "commit", what_is_shown(only), "interval", ""}};
    for (std::size_t i = 0; i < only.points.size(); ++i) {
        const auto& point = only.points[i];
        const auto changed = std::ranges::find(changes, i, &series_change::at);
        rows.push_back({fmt::format("{}", point.run->id), point.run->date, build_name(*point.run),
                        value_text(only, point.value), interval_text(only, i),
                        changed == changes.end()
                            ? ""
                            : fmt::format("< {} from this run on", reports::name_of(changed->is))});
    }
    return reports::printable(fmt::format("{} of {} on {} ({}); {}", only.of.metric, only.contender,
                                          only.of.workload, name_of(only.of.made),
                                          machine_name(only.machine))) +
           "\n" + table(std::move(rows), 3);
}

json size_json(const series_change& change) {
    const auto size = size_of(change);
    return {{"unit", size.unit},
            {"median", reports::number_or_null(size.median)},
            {"low", reports::number_or_null(size.low)},
            {"high", reports::number_or_null(size.high)}};
}

}  // namespace

std::string machine_name(const kept_machine& machine) {
    auto looks = machine.cpu_model;
    if (machine.cores > 0)
        looks += fmt::format(", {} cores", machine.cores);  // 0 if the file does not name it
    if (machine.memory_gib > 0) looks += fmt::format(", {} GiB", machine.memory_gib);
    return machine.name.empty() ? looks : fmt::format("{} ({})", machine.name, looks);
}

shown_size size_of(const series_change& change) {
    const bool is_logarithm = is_logarithmic(*change.in);
    const auto shown = [&](std::optional<double> shift) {
        return shift && is_logarithm ? 100 * std::expm1(*shift) : shift;
    };
    const auto& [median, low, high] = change.better;
    return {is_logarithm ? "%" : change.in->of.unit, shown(median), shown(low), shown(high)};
}

std::string size_text(const series_change& change) {
    const double sign = change.is_worse() ? -1 : 1;
    const bool is_logarithm = is_logarithmic(*change.in);
    const auto shown = [&](double shift) {
        return is_logarithm ? reports::fixed_point(100 * std::expm1(sign * shift), 1)
                            : reports::three_digits(sign * shift);
    };
    const auto& [median, low, high] = change.better;
    const auto unit = is_logarithm ? "%" : change.in->of.unit;
    const auto interval = low && high ? fmt::format(" ({} to {} {})", shown(change.is_worse() ? *high : *low),
                                                    shown(change.is_worse() ? *low : *high), unit)
                                      : "";
    const auto size = fmt::format("{} {}", shown(median), unit);
    if (change.is == change_direction::neither)
        return fmt::format("changed by {}{}; it is undecided whether this is better or worse", size,
                           interval);
    return fmt::format("{} {}{}", size, change.is_worse() ? "worse" : "better", interval);
}

std::string also_changed(const kept_run& before, const kept_run& after) {
    std::string text;
    const auto compare = [&](const char* what, const std::string& then, const std::string& now) {
        if (then != now) text += fmt::format("; {} also changed, from {} to {}", what, then, now);
    };
    compare("the kernel", before.kernel, after.kernel);
    compare("the compiler", before.compiler, after.compiler);
    return text;
}

std::string build_name(const kept_run& run) {
    constexpr std::size_t digits_shown = 10, digits_of_git = 40;
    if (run.commit.empty()) return "-";
    const bool is_of_git = run.commit.size() >= digits_of_git &&
                           run.commit.find_first_not_of("0123456789abcdef") == std::string::npos;
    return (is_of_git ? run.commit.substr(0, digits_shown) : run.commit) +
           (run.dirty.value_or(false) ? "+" : "");
}

std::string runs_text(std::span<const kept_run> runs) {
    std::vector<row> rows{{"run", "date", "commit", "size", "state", "machine"}};
    for (const auto& run : runs)
        rows.push_back({fmt::format("{}", run.id), run.date, build_name(run), run.size, state_of(run),
                        fmt::format("{}: {}", run.machine.number, machine_name(run.machine))});
    return table(std::move(rows), 6);
}

std::string runs_json(std::span<const kept_run> runs) {
    auto all = json::array();
    for (const auto& run : runs) {
        auto one = run_json(run);
        one["source"] = reports::name_of(run.source);
        one["size"] = text_or_null(run.size);
        one["baseline"] = text_or_null(run.baseline);
        one["complete"] = run.complete;
        one["reliability"] = reports::name_of(run.reliability);
        one["machine"] = machine_json(run.machine);
        all.push_back(std::move(one));
    }
    return reports::dump({{"runs", std::move(all)}}, 1) + "\n";
}

std::string trend_text(const std::vector<series>& all) {
    return all.size() == 1 ? one_series(all) : all_series(all);
}

std::string trend_json(const std::vector<series>& all) {
    auto list = json::array();
    for (const auto& each : all) {
        auto one = series_json(each);
        auto points = json::array();
        for (std::size_t i = 0; i < each.points.size(); ++i) {
            const auto& [run, value] = each.points[i];
            auto at = run_json(*run);
            at["value"] = reports::number_or_null(value);
            at["low"] = reports::number_or_null(each.intervals[i].low);
            at["high"] = reports::number_or_null(each.intervals[i].high);
            points.push_back(std::move(at));
        }
        one["points"] = std::move(points);
        list.push_back(std::move(one));
    }
    return reports::dump({{"series", std::move(list)}}, 1) + "\n";
}

std::string trend_csv(const std::vector<series>& all) {
    std::string out =
        "run,date,commit,dirty,machine,size,workload,contender,metric,unit,direction,pairing,ratio_to,value,"
        "low,"
        "high\r\n";
    const auto text = [](std::string_view value) { return reports::csv_text(value); };
    const auto number = [](std::optional<double> value) { return value ? fmt::format("{}", *value) : ""; };
    for (const auto& each : all)
        for (std::size_t i = 0; i < each.points.size(); ++i) {
            const auto& run = *each.points[i].run;
            const auto& [low, high] = each.intervals[i];
            out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\r\n", run.id, text(run.date),
                               text(run.commit), run.dirty ? (*run.dirty ? "1" : "0") : "",
                               text(machine_name(each.machine)), text(each.size), text(each.of.workload),
                               text(each.contender), text(each.of.metric), text(each.of.unit),
                               name_of(each.of.better), name_of(each.of.made), text(each.baseline),
                               each.points[i].value, number(low), number(high));
        }
    return out;
}

std::string changes_text(std::span<const series_change> changes) {
    std::string out;
    for (const auto& change : changes) {
        const auto& of = *change.in;
        const auto &before = *of.points[change.at - 1].run, &after = *of.points[change.at].run;
        const auto was = value_text(of, change.before), is = value_text(of, change.after);
        const auto levels = of.is_ratio() ? fmt::format("{}× to {}× as good as {}", was, is, of.baseline)
                                          : fmt::format("{} to {}", was, is);
        out += reports::printable(fmt::format("{} on {}: {}; {} from {}", of.contender, of.of.workload,
                                              size_text(change), of.of.metric, levels)) +
               "\n";
        out += reports::printable(fmt::format("  between {} ({}, run {}) and {} ({}, run {}) on machine {}{}",
                                              build_name(before), before.date, before.id, build_name(after),
                                              after.date, after.id, of.machine.number,
                                              also_changed(before, after))) +
               "\n";
    }
    return out;
}

std::string changes_json(std::span<const series_change> changes) {
    auto list = json::array();
    for (const auto& change : changes) {
        auto one = series_json(*change.in);
        one["before"] = run_json(*change.in->points[change.at - 1].run);
        one["after"] = run_json(*change.in->points[change.at].run);
        one["level_before"] = reports::number_or_null(change.before);
        one["level_after"] = reports::number_or_null(change.after);
        one["worse"] = change.is_worse();
        one["better"] = change.is == change_direction::better;
        one["better_by"] = size_json(change);
        one["p"] = reports::number_or_null(change.p);
        list.push_back(std::move(one));
    }
    return reports::dump({{"changes", std::move(list)}}, 1) + "\n";
}

}  // namespace loopbench::bench
