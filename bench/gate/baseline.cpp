// Strict in reading, as people edit these files; one line a number in writing, as people review them.
#include "bench/gate/baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>
#include <tuple>

#include "bench/trial/usage_error.hpp"
#include "reports/json_node.hpp"
#include "reports/metrics.hpp"
#include "reports/posix_io.hpp"

namespace loopbench::bench {

namespace {

using json = nlohmann::ordered_json;
using reports::node;

double not_negative(const node& from) {
    const double value = from.number();
    if (value < 0) from.fail(fmt::format("{} is below zero", value));
    return value;
}

double above_zero(const node& from) {
    const double value = from.number();
    if (value <= 0) from.fail(fmt::format("{} is not above zero", value));
    return value;
}

std::string name_in(const node& from) {
    auto name = from.text();
    if (name.empty()) from.fail("an empty name names nothing");
    return name;
}

std::vector<std::string_view> names_of_counts() {
    std::vector<std::string_view> names;
    for (const auto& metric : reports::known_metrics())
        if (metric.deterministic) names.push_back(metric.name);
    return names;
}

count_slack read_slack(const node& from) {
    return {not_negative(from.at("per_op")), not_negative(from.at("bytes")), not_negative(from.at("pct"))};
}

expected_count read_count(const node& from) {
    expected_count item{name_in(from.at("workload")), name_in(from.at("contender")),
                        name_in(from.at("metric")), not_negative(from.at("per_op"))};
    const auto* metric = reports::find_metric(item.metric);
    if (metric == nullptr || !metric->deterministic)
        from.at("metric").fail(fmt::format("\"{}\" is none of the counts ({})", reports::shown(item.metric),
                                           fmt::join(names_of_counts(), ", ")));
    return item;
}

expected_ratio read_ratio(const node& from) {
    expected_ratio item{name_in(from.at("workload")),  name_in(from.at("contender")),
                        above_zero(from.at("median")), above_zero(from.at("low")),
                        above_zero(from.at("high")),   std::nullopt};
    if (const auto made = from.find("way"))  // not in older ones
        item.made = made->one_of<reports::way>(reports::way_names);
    if (item.low > item.median || item.median > item.high) from.fail("low, median and high are not in order");
    return item;
}

expected_times read_times(const node& from) {
    expected_times times{name_in(from.at("to")), from.at("size").one_of<workload_size>(workload_size_names),
                         name_in(from.at("machine")), from.at("ratios").each(read_ratio)};
    std::set<std::pair<std::string, std::string>> seen;
    for (const auto& item : times.ratios) {
        if (!seen.emplace(item.workload, item.contender).second)
            from.at("ratios").fail(fmt::format("{} on {} is there twice", reports::shown(item.contender),
                                               reports::shown(item.workload)));
        if (item.contender == times.to)
            from.at("ratios").fail(fmt::format("{} has a ratio to itself", reports::shown(item.contender)));
    }
    return times;
}

void refuse_repeated(const node& from, const std::vector<expected_count>& counts) {
    std::set<std::tuple<std::string, std::string, std::string>> seen;
    for (const auto& item : counts)
        if (!seen.emplace(item.workload, item.contender, item.metric).second)
            from.fail(fmt::format("{} of {} on {} is there twice", item.metric,
                                  reports::shown(item.contender), reports::shown(item.workload)));
}

expectations read_expectations(const node& from) {
    from.require_schema(baseline_schema);
    expectations all;
    all.slack = read_slack(from.at("slack"));
    all.counts = from.at("counts").each(read_count);
    refuse_repeated(from.at("counts"), all.counts);
    if (const auto times = from.at("times"); !times.is_null()) all.times = read_times(times);
    if (all.counts.empty() && (!all.times || all.times->ratios.empty()))
        from.fail("it expects nothing: there are neither counts nor ratios in it");
    return all;
}

std::string line_of(const expected_count& item) {
    return reports::dump({{"workload", item.workload},
                          {"contender", item.contender},
                          {"metric", item.metric},
                          {"per_op", item.per_op}});
}

std::string line_of(const expected_ratio& item) {
    nlohmann::ordered_json line{{"workload", item.workload},
                                {"contender", item.contender},
                                {"median", item.median},
                                {"low", item.low},
                                {"high", item.high}};
    if (item.made) line["way"] = name_of(*item.made);
    return reports::dump(line);
}

template <class items>
std::string lines_of(const items& all, std::string_view indent) {
    std::string text;
    for (const auto& item : all)
        text += fmt::format("{}\n{}{}", text.empty() ? "" : ",", indent, line_of(item));
    return text;
}

std::string text_of(const expected_times& times) {
    return fmt::format("{{\n  \"to\": {},\n  \"size\": {},\n  \"machine\": {},\n  \"ratios\": [{}\n  ]\n }}",
                       reports::dump(times.to), reports::dump(name_of(times.size)),
                       reports::dump(times.machine), lines_of(times.ratios, "   "));
}

/// A thousandth of an operation is less than any slack that is of use. Slopes of nothing may be a little
/// below zero.
double rounded_count(double value) {
    constexpr double steps = 1000;
    return std::max(0.0, std::round(value * steps) / steps);
}

/// To four digits.
double rounded_ratio(double value) {
    constexpr double digits = 4;
    const double step = std::pow(10, std::floor(std::log10(value)) - digits + 1);
    return std::round(value / step) * step;
}

void add_cell(expectations& all, const counted_cell& cell) {
    for (const auto& metric : reports::known_metrics())
        if (const auto found = cell.metrics.find(std::string{metric.name});
            found != cell.metrics.end() && metric.deterministic)
            all.counts.push_back(
                {cell.workload, cell.contender, std::string{metric.name}, rounded_count(found->second)});
}

}  // namespace

double count_slack::around(const reports::metric_info& metric, double expected) const {
    return (metric.unit == "B/op" ? bytes : per_op) + expected * pct / 100;
}

std::vector<cell_name> cells_of(const expectations& all, std::optional<tier> only) {
    std::vector<cell_name> cells;
    const auto add = [&](const auto& lines) {
        for (const auto& line : lines)
            if (reports::find_cell(cells, line) == cells.end())
                cells.push_back({line.workload, line.contender});
    };
    if (only != tier::times) add(all.counts);
    if (only != tier::counts && all.times) add(all.times->ratios);
    return cells;
}

std::vector<std::string> names_in(const std::vector<cell_name>& cells, std::string cell_name::*which) {
    std::vector<std::string> names;
    for (const auto& cell : cells)
        if (std::ranges::find(names, cell.*which) == names.end()) names.push_back(cell.*which);
    return names;
}

std::string machine_of(const reports::environment& where) {
    return fmt::format("{}, {} cores, {}", where.cpu_model, where.cores, where.kernel);
}

std::optional<workload_size> size_of(const reports::report& report) {
    for (const auto& who : report.contenders) {
        const auto text = reports::context_text(who.context, "size");
        const auto known = std::ranges::find(workload_size_names, text.value_or(""));
        if (known != workload_size_names.end())
            return static_cast<workload_size>(known - workload_size_names.begin());
    }
    return std::nullopt;
}

expectations parse_baseline(std::string_view text) {
    const auto document = reports::parse_strictly(text);
    return read_expectations({document, ""});
}

expectations read_baseline(const std::string& file) {
    const auto remedy =
        fmt::format("`loopbench check --update --against {}` writes one, --help says with what", file);
    if (!std::filesystem::is_regular_file(file))
        throw usage_error{fmt::format("there is no baseline {}; {}", file, remedy)};
    try {
        return parse_baseline(reports::read_file(file));
    } catch (const std::runtime_error& error) {  // format_error, file_error
        throw usage_error{
            fmt::format("{} is not a baseline: {}; move it away, and {}", file, error.what(), remedy)};
    }
}

std::string write_baseline(const expectations& all) {
    return fmt::format(
        "{{\n \"schema\": \"{}\",\n \"slack\": {{\"per_op\": {}, \"bytes\": {}, \"pct\": {}}},\n \"counts\": "
        "[{}\n ],\n \"times\": {}\n}}\n",
        baseline_schema, all.slack.per_op, all.slack.bytes, all.slack.pct, lines_of(all.counts, "  "),
        all.times ? text_of(*all.times) : "null");
}

std::string changed_lines(std::string_view before, std::string_view after) {
    const auto lines_in = [](std::string_view text) {
        std::vector<std::string_view> lines;
        while (!text.empty()) {
            const auto end = std::min(text.find('\n'), text.size());
            const auto line = text.substr(0, end);
            lines.push_back(line.substr(0, line.size() - (line.ends_with(',') ? 1 : 0)));
            text.remove_prefix(std::min(end + 1, text.size()));
        }
        return lines;
    };
    const auto old = lines_in(before), next = lines_in(after);
    std::string changes;
    const auto add = [&](char sign, const auto& from, const auto& others) {
        for (const auto line : from)
            if (std::ranges::find(others, line) == others.end()) changes += fmt::format("{}{}\n", sign, line);
    };
    add('-', old, next);
    add('+', next, old);
    return changes;
}

void expect_counts(expectations& all, const std::vector<counted_cell>& cells) {
    for (const auto& cell : cells) {
        if (reports::find_cell(all.counts, cell) == all.counts.end()) {
            add_cell(all, cell);
            continue;
        }
        for (auto& item : all.counts)
            if (reports::same_cell(item, cell))
                if (const auto found = cell.metrics.find(item.metric); found != cell.metrics.end())
                    item.per_op = rounded_count(found->second);
    }
}

void expect_ratios(expected_times& times, const reports::report& found) {
    for (const auto& item : found.results) {
        if (item.metric != "time" || !item.to_baseline || !item.to_baseline->low || !item.to_baseline->high)
            continue;
        const expected_ratio next{item.workload,
                                  item.contender,
                                  rounded_ratio(item.to_baseline->median),
                                  rounded_ratio(*item.to_baseline->low),
                                  rounded_ratio(*item.to_baseline->high),
                                  item.made};
        const auto old = reports::find_cell(times.ratios, next);
        if (old == times.ratios.end())
            times.ratios.push_back(next);
        else
            *old = next;
    }
}

}  // namespace loopbench::bench
