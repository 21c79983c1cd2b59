// Reads the data.js of github-action-benchmark, and the JSON file of its option external-data-json-path. Such
// a file has a list of commits for each suite. Each commit becomes a run, and its suite the contender. A
// benchmark has one value, without samples. Its `range` is ignored, because its meaning depends on the tool:
// a standard deviation, a margin of error in per cent, or the distance of the extremes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include "bench/harness/history/dates.hpp"
#include "bench/harness/history/readers/readers.hpp"
#include "bench/harness/history/readers/units.hpp"

namespace loopbench::bench {

namespace {

constexpr std::string_view assignment = "window.BENCHMARK_DATA";

/// Replaces everything but the JSON object by blanks, so that the positions in error messages are right.
std::string only_json(std::string_view text) {
    std::string json{text};
    if (const auto begin = json.find(assignment); begin < json.find('{'))
        std::fill_n(json.begin(), std::min(json.find('{'), json.size()), ' ');
    const auto last = json.find_last_not_of(" \t\r\n");
    if (last != std::string::npos && json[last] == ';') json[last] = ' ';
    return json;
}

/// Returns true if larger values are better. The tools with a direction in their name have the direction that
/// the user chose.
bool larger_is_better(std::string_view tool) {
    constexpr std::array<std::string_view, 3> tools{"customBiggerIsBetter", "benchmarkjs", "pytest"};
    return std::ranges::find(tools, tool) != tools.end();
}

/// Returns the value, which can be a text with a number, or NaN.
double value_in(const reports::node& bench) {
    const auto value = bench.at("value");
    if (!value.is_text()) return number_or_nan(value);
    const auto text = value.text();
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() ? number : std::nan("");
}

/// Converts a value to the metric that its unit names. A value with an unknown unit, or with a direction that
/// contradicts its unit, keeps its unit and becomes the metric "value".
tool_metric metric_with(double value, const std::string& unit, std::string_view tool) {
    const auto direction = larger_is_better(tool) ? reports::direction::larger : reports::direction::smaller;
    auto known = metric_of_unit(unit);
    if (known && tool.starts_with("custom") && known->metric.better != direction) known.reset();
    auto found = known.value_or(
        metric_in_unit{{.metric = std::string{other_metric}, .unit = unit, .better = direction}});
    return with_value(std::move(found.metric), {.median = value * found.factor, .low = {}, .high = {}});
}

/// Returns true for the standard deviation and the coefficient of variation of a benchmark's repetitions.
/// They have the unit of a time, but are no time.
bool is_spread(const std::string& name, const std::set<std::string>& names) {
    constexpr std::array<std::string_view, 2> endings{"_stddev", "_cv"};
    return std::ranges::any_of(endings, [&](std::string_view ending) {
        return name.ends_with(ending) &&
               names.contains(name.substr(0, name.size() - ending.size()) + "_mean");
    });
}

std::vector<tool_benchmark> benchmarks_of_commit(const reports::node& benches, const std::string& tool) {
    std::set<std::string> names;
    benches.each_element([&](const reports::node& bench) { names.insert(bench.at("name").text()); });
    std::vector<tool_benchmark> all;
    benches.each_element([&](const reports::node& bench) {
        tool_benchmark one{.name = bench.at("name").text()};
        if (tool == "googlecpp" && is_spread(one.name, names)) return;
        one.metrics.push_back(metric_with(value_in(bench), text_or_empty(bench, "unit"), tool));
        one.primary_metrics = {one.metrics.front().metric};
        refuse_impossible(one);
        all.push_back(std::move(one));
    });
    return all;
}

std::string date_of_ms(const reports::node& of) {
    constexpr double ms_per_second = 1000, end_of_year_9999_ms = 253402300800000;
    const double ms = of.number();
    if (!(ms > 0 && ms < end_of_year_9999_ms))
        of.fail("{} is not a date in milliseconds since 1970; correct it in the file", ms);
    return utc_date(static_cast<std::time_t>(ms / ms_per_second));
}

tool_run run_in(const std::string& suite, const reports::node& from) {
    const auto tool = text_or_empty(from, "tool");
    tool_run run{.contender = reports::describe(suite, {{"library", tool}})};
    const auto date = from.at("date");
    run.date = date_of_ms(date);
    if (const auto commit = from.find("commit"); commit && commit->is_object())
        run.commit = text_or_empty(*commit, "id");
    run.benchmarks = benchmarks_of_commit(from.at("benches"), tool);
    run.identity = fmt::format("{} {}", date.number(), run.commit);
    return run;
}

}  // namespace

bool recognises_github_action_benchmark(const outline& of) {
    const auto begin = of.text().find_first_not_of(" \t\r\n");
    return (begin != std::string_view::npos && of.text().substr(begin).starts_with(assignment)) ||
           (of.has_key("entries") && of.has_key("lastUpdate"));
}

std::vector<tool_run> read_github_action_benchmark(std::string_view text) {
    const auto document = parse_tool_json(only_json(text));
    std::vector<tool_run> all;
    document.root().at("entries").each_field([&](const std::string& suite, const reports::node& commits) {
        commits.each_element([&](const reports::node& commit) {
            if (auto run = run_in(suite, commit); !run.benchmarks.empty()) all.push_back(std::move(run));
        });
    });
    return all;
}

}  // namespace loopbench::bench
