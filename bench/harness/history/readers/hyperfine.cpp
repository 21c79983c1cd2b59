// Reads the JSON that `hyperfine --export-json` writes. Versions 1.12 to 1.20 are known; later fields are
// ignored. All times are in seconds.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "bench/harness/history/readers/readers.hpp"

namespace loopbench::bench {

namespace {

constexpr double ns_per_second = 1e9;

std::string parameters_in(const reports::node& result) {
    std::vector<std::string> all;
    if (const auto found = result.find("parameters"); found && !found->is_null())
        found->each_field([&](const std::string& name, const reports::node& value) {
            all.push_back(fmt::format("{}={}", name, value.is_text() ? value.text() : "?"));
        });
    return all.empty() ? "" : fmt::format(" ({})", fmt::join(all, ", "));
}

/// Returns the reason if a run of the command failed. hyperfine writes null for a run that a signal ended.
std::optional<std::string> failure_in(const reports::node& result) {
    const auto codes = result.find("exit_codes");
    if (!codes || codes->is_null()) return std::nullopt;  // hyperfine before 1.12
    std::size_t failed = 0;
    std::string first;
    codes->each_element([&](const reports::node& code) {
        const bool is_killed = code.is_null();
        if (!is_killed && code.number() == 0) return;
        if (failed++ == 0) first = is_killed ? "a signal" : fmt::format("exit code {}", code.number());
    });
    if (failed == 0) return std::nullopt;
    return fmt::format("{} of {} runs of the command failed, the first one with {}", failed, codes->size(),
                       first);
}

tool_metric time_in(const reports::node& result) {
    if (const auto times = result.find("times"); times && !times->is_null() && times->size() > 0)
        return time_of_samples(numbers_in_list(*times), ns_per_second);
    const auto median = result.find("median");
    const auto seconds = number_or_nan(median ? *median : result.at("mean"));
    return with_value(metric_named("time"), {.median = seconds * ns_per_second, .low = {}, .high = {}});
}

/// Adds the means of the CPU times. hyperfine does not export the CPU time of each run.
void add_cpu(std::vector<tool_metric>& to, const reports::node& result) {
    const auto user = result.find("user"), system = result.find("system");
    if (!user || !system || user->is_null() || system->is_null()) return;
    const double user_ns = user->number() * ns_per_second, system_ns = system->number() * ns_per_second;
    for (const auto& [metric, ns] :
         {std::pair{"cpu", user_ns + system_ns}, {"cpu_user", user_ns}, {"cpu_system", system_ns}})
        to.push_back(with_value(metric_named(metric), {.median = ns, .low = {}, .high = {}}));
}

void add_memory(std::vector<tool_metric>& to, const reports::node& result) {
    const auto bytes = result.find("memory_usage_byte");
    if (!bytes || bytes->is_null()) return;
    auto memory = metric_named("rss_peak");
    memory.samples = numbers_in_list(*bytes);
    const bool is_measured = std::ranges::any_of(memory.samples, [](double each) { return each != 0; });
    if (is_measured) to.push_back(std::move(memory));  // hyperfine writes 0 if the system does not tell it
}

tool_benchmark benchmark_in(const reports::node& result) {
    tool_benchmark one{.name = result.at("command").text(), .error = failure_in(result)};
    one.primary_metrics = {"time", "cpu", "rss_peak"};
    one.metrics.push_back(time_in(result));
    add_cpu(one.metrics, result);
    add_memory(one.metrics, result);
    refuse_impossible(one,
                      "hyperfine subtracts the start of its shell; measure a short command without a shell "
                      "(hyperfine -N)");
    return one;
}

}  // namespace

bool recognises_hyperfine(const outline& of) {
    return of.has_key("results") && of.contains("\"command\"");
}

std::vector<tool_run> read_hyperfine(std::string_view text) {
    tool_run run{.contender = reports::describe("hyperfine", {{"library", "hyperfine"}})};
    const auto document = parse_tool_json(text);
    const auto results = document.root().at("results");
    std::map<std::string, std::size_t> counts;
    results.each_element([&](const reports::node& result) { ++counts[result.at("command").text()]; });
    results.each_element([&](const reports::node& result) {
        auto one = benchmark_in(result);
        if (counts[one.name] > 1) one.name += parameters_in(result);
        run.benchmarks.push_back(std::move(one));
    });
    return {std::move(run)};
}

}  // namespace loopbench::bench
