// The reader is strict because people edit baseline files. The writer puts each number on its own line
// because people review the changes of these files.
#include "bench/harness/gate/baseline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <ranges>
#include <set>
#include <tuple>

#include "bench/catalog/workload_table.hpp"
#include "bench/harness/machine/environment.hpp"
#include "bench/harness/trial/usage_error.hpp"
#include "reports/base/json_fields.hpp"
#include "reports/base/posix_io.hpp"
#include "reports/base/require_format.hpp"
#include "reports/model/metrics.hpp"
#include "reports/model/report_index.hpp"

namespace loopbench::bench {

namespace {

using reports::field;
using reports::node;

using field_names = std::initializer_list<const char*>;

void require_not_negative(const node& from, field_names names) {
    for (const auto* name : names)
        if (const double value = from.at(name).number(); value < 0)
            from.at(name).fail("{} is below zero", value);
}

void require_above_zero(const node& from, field_names names) {
    for (const auto* name : names)
        if (const double value = from.at(name).number(); value <= 0)
            from.at(name).fail("{} is not above zero", value);
}

void require_names(const node& from, field_names names) {
    for (const auto* name : names)
        if (from.at(name).text().empty()) from.at(name).fail("the name is empty");
}

template <class line>
void refuse_repeated(const node& from, const std::vector<line>& lines) {
    std::set<std::tuple<std::string, std::string, std::string>> seen;
    for (const auto& item : lines)
        if (!seen.emplace(item.workload, item.contender, item.metric).second)
            from.fail("the metric {} of {} on {} occurs twice", item.metric, reports::shown(item.contender),
                      reports::shown(item.workload));
}

std::vector<std::string_view> names_of_counts() {
    std::vector<std::string_view> names;
    for (const auto& metric : reports::known_metrics())
        if (metric.deterministic) names.push_back(metric.name);
    return names;
}

}  // namespace

constexpr auto fields_of(const count_slack*) {
    return std::tuple(field{"per_op", &count_slack::per_op}, field{"bytes", &count_slack::bytes},
                      field{"pct", &count_slack::pct});
}

void check_fields(const count_slack&, const node& from) {
    require_not_negative(from, {"per_op", "bytes", "pct"});
}

constexpr auto fields_of(const expected_count*) {
    return std::tuple(field{"workload", &expected_count::workload},
                      field{"contender", &expected_count::contender},
                      field{"metric", &expected_count::metric}, field{"per_op", &expected_count::per_op});
}

void check_fields(const expected_count& item, const node& from) {
    require_names(from, {"workload", "contender", "metric"});
    require_not_negative(from, {"per_op"});
    if (counts_vary(item.workload))
        from.at("workload")
            .fail("the counts of {} vary, because it has several threads; delete this line",
                  reports::shown(item.workload));
    const auto* metric = reports::find_metric(item.metric);
    if (metric == nullptr || !metric->deterministic)
        from.at("metric").fail("\"{}\" is not a count; expected one of {}", reports::shown(item.metric),
                               fmt::join(names_of_counts(), ", "));
}

constexpr auto fields_of(const expected_ratio*) {
    return std::tuple(field{"workload", &expected_ratio::workload},
                      field{"contender", &expected_ratio::contender},
                      field{"metric", &expected_ratio::metric}, field{"median", &expected_ratio::median},
                      field{"low", &expected_ratio::low}, field{"high", &expected_ratio::high},
                      field{"pairing", &expected_ratio::made});
}

void check_fields(const expected_ratio& item, const node& from) {
    require_names(from, {"workload", "contender"});
    require_above_zero(from, {"median", "low", "high"});
    if (item.low > item.median || item.median > item.high)
        from.fail("low, median and high are not in ascending order");
    const auto* metric = reports::find_metric(item.metric);
    if (metric == nullptr || metric->deterministic)
        from.at("metric").fail("\"{}\" is not a measured metric", reports::shown(item.metric));
}

constexpr auto fields_of(const expected_times*) {
    return std::tuple(field{"to", &expected_times::to}, field{"size", &expected_times::size},
                      field{"machine", &expected_times::machine}, field{"ratios", &expected_times::ratios});
}

void check_fields(const expected_times& times, const node& from) {
    require_names(from, {"to", "machine"});
    refuse_repeated(from.at("ratios"), times.ratios);
    for (const auto& item : times.ratios)
        if (item.contender == times.to)
            from.at("ratios").fail("the list contains a ratio of {} to itself",
                                   reports::shown(item.contender));
}

namespace {

expectations read_expectations(const node& from) {
    expectations all;
    all.slack = reports::read_value<count_slack>(from.at("slack"));
    all.counts = reports::read_value<std::vector<expected_count>>(from.at("counts"));
    refuse_repeated(from.at("counts"), all.counts);
    all.times = reports::read_value<std::optional<expected_times>>(from.at("times"));
    if (all.counts.empty() && (!all.times || all.times->ratios.empty()))
        from.fail("the file contains neither counts nor ratios");
    return all;
}

template <class items>
std::string lines_of(const items& all, std::string_view indent) {
    std::string text;
    for (const auto& item : all)
        text +=
            fmt::format("{}\n{}{}", text.empty() ? "" : ",", indent, reports::dump(reports::value_of(item)));
    return text;
}

std::string text_of(const expected_times& times) {
    return fmt::format("{{\n  \"to\": {},\n  \"size\": {},\n  \"machine\": {},\n  \"ratios\": [{}\n  ]\n }}",
                       reports::dump(times.to), reports::dump(name_of(times.size)),
                       reports::dump(times.machine), lines_of(times.ratios, "   "));
}

/// Rounds a count per operation to steps of 0.001, which are finer than any useful slack. Returns 0 for a
/// negative count, because a measured count can be slightly below 0 if the true count is 0.
double rounded_count(double value) {
    constexpr double steps = 1000;
    return std::max(0.0, std::round(value * steps) / steps);
}

double rounded_ratio(double value) {
    constexpr double digits = 4;
    const double step = std::pow(10, std::floor(std::log10(value)) - digits + 1);
    return std::round(value / step) * step;
}

void add_cell(expectations& all, const counted_result& cell) {
    if (counts_vary(cell.workload)) return;
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
    for (const auto& cell : cells) add_once(names, cell.*which);
    return names;
}

void add_once(std::vector<std::string>& names, const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

std::string machine_of(const reports::environment& where) {
    return fmt::format("{}, {} cores, {}", where.cpu_model, where.cores, where.kernel);
}

std::optional<workload_size> size_of(const reports::report& report) {
    return report.plan ? reports::named<workload_size>(report.plan->size) : std::nullopt;
}

expectations parse_baseline(std::string_view text, std::string_view name) {
    const reports::document content{text};
    reports::require_format(content.root(), reports::baseline_format, name);
    return read_expectations(content.root());
}

expectations read_baseline(const std::string& file) {
    const auto remedy =
        fmt::format("create one with `loopbench check --update --against {}` (see its --help)", file);
    if (!std::filesystem::exists(file)) throw usage_error{"there is no baseline file {}; {}", file, remedy};
    if (std::filesystem::is_directory(file))
        throw usage_error{"{} is a folder, not a baseline file; name a file in this folder (--against)",
                          file};
    try {
        return parse_baseline(reports::read_file(file), file);
    } catch (const reports::other_format&) {
        throw;
    } catch (const std::runtime_error& error) {
        throw usage_error{"{} is not a baseline file: {}; move it away, and {}", file, error.what(), remedy};
    }
}

std::string write_baseline(const expectations& all) {
    return fmt::format(
        "{{\n \"schema\": \"{}\",\n \"version\": \"{}\",\n \"slack\": {{\"per_op\": {}, \"bytes\": {}, "
        "\"pct\": {}}},\n \"counts\": "
        "[{}\n ],\n \"times\": {}\n}}\n",
        reports::baseline_format.schema, loopbench_version(), all.slack.per_op, all.slack.bytes,
        all.slack.pct, lines_of(all.counts, "  "), all.times ? text_of(*all.times) : "null");
}

std::string changed_lines(std::string_view before, std::string_view after) {
    const auto lines_in = [](std::string_view text) {
        std::vector<std::string_view> lines;
        for (const auto part : std::views::split(text, '\n')) {
            std::string_view line{part.begin(), part.end()};
            if (line.ends_with(',')) line.remove_suffix(1);
            if (!line.empty()) lines.push_back(line);
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

void expect_counts(expectations& all, const std::vector<counted_result>& cells) {
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
    const reports::report_index index{found};
    std::erase_if(times.ratios, [&](const expected_ratio& line) {
        return reports::find_cell(found.results, line) != found.results.end() && !index.is_about(line);
    });
    for (const auto& item : found.results) {
        if (!index.is_about(item) || !item.to_baseline || !item.to_baseline->low || !item.to_baseline->high)
            continue;
        const expected_ratio next{item.workload,
                                  item.contender,
                                  rounded_ratio(item.to_baseline->median),
                                  rounded_ratio(*item.to_baseline->low),
                                  rounded_ratio(*item.to_baseline->high),
                                  item.made,
                                  item.metric};
        const auto old = std::ranges::find_if(
            times.ratios, [&](const expected_ratio& line) { return same_line(line, next); });
        if (old == times.ratios.end())
            times.ratios.push_back(next);
        else
            *old = next;
    }
}

}  // namespace loopbench::bench
