#include "bench/suite/client/one_benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>
#include <string_view>
#include <system_error>
#include <thread>

namespace loopbench::bench {

namespace {

using json = nlohmann::ordered_json;

double seconds(std::chrono::nanoseconds time) {
    return std::chrono::duration<double>(time).count();
}

template <class number>
number read_number(std::string_view flag, std::string_view text, number least) {
    number value{};
    const auto* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stopped != end || !(value >= least))
        throw std::invalid_argument(
            fmt::format("{}={} is not a number of at least {}; pass such a number", flag, text, least));
    return value;
}

void take_flag(benchmark_flags& flags, std::string_view flag, std::string_view value) {
    constexpr std::array<std::string_view, 3> without_effect{"--benchmark_format",
                                                             "--benchmark_counters_tabular", "--v"};
    if (flag == "--benchmark_list_tests")
        flags.only_list = value != "false" && value != "0";
    else if (flag == "--benchmark_filter")
        flags.filter = value;
    else if (flag == "--benchmark_min_time")
        flags.min_time_s =
            read_number(flag, value.ends_with('s') ? value.substr(0, value.size() - 1) : value, 0.0);
    else if (flag == "--benchmark_repetitions")
        flags.repetitions = read_number(flag, value, 1);
    else if (std::ranges::find(without_effect, flag) == without_effect.end())
        throw std::invalid_argument(
            fmt::format("the flag {} is unknown; use --benchmark_list_tests, --benchmark_filter, "
                        "--benchmark_min_time or --benchmark_repetitions",
                        flag));
}

/// Returns the number of runs of the next batch, so that it probably takes a little longer than the minimum
/// time. A batch that took less than a tenth of it predicts badly.
std::uint64_t next_runs(const batch_cost& last, double min_time_s) {
    constexpr double shortest_s = 1e-9, surplus = 1.4, predicts_badly = 0.1, most_growth = 10;
    const double wall_s = std::max(seconds(last.all.wall), shortest_s);
    double growth = surplus * min_time_s / wall_s;
    if (wall_s <= predicts_badly * min_time_s) growth = std::min(growth, most_growth);
    return std::max(static_cast<std::uint64_t>(std::llround(growth * static_cast<double>(last.runs))),
                    last.runs + 1);
}

batch_cost run_batch(std::uint64_t runs, const std::function<command_cost()>& run) {
    batch_cost batch{.runs = runs};
    for (std::uint64_t i = 0; i < runs; ++i) {
        const auto one = run();
        batch.all.wall += one.wall;
        batch.all.cpu += one.cpu;
        batch.all.peak_bytes = std::max(batch.all.peak_bytes, one.peak_bytes);
    }
    return batch;
}

json row_of(const batch_cost& batch) {
    const auto per_run = [&](std::chrono::nanoseconds all) {
        return static_cast<double>(all.count()) / static_cast<double>(batch.runs);
    };
    return {{"iterations", batch.runs},           {"real_time", per_run(batch.all.wall)},
            {"cpu_time", per_run(batch.all.cpu)}, {"time_unit", "ns"},
            {"cpu", per_run(batch.all.cpu)},      {"rss_peak", static_cast<double>(batch.all.peak_bytes)}};
}

}  // namespace

benchmark_flags read_benchmark_flags(std::span<const char* const> arguments) {
    benchmark_flags flags;
    for (const std::string_view argument : arguments) {
        const auto equals = std::min(argument.find('='), argument.size());
        take_flag(flags, argument.substr(0, equals), argument.substr(std::min(equals + 1, argument.size())));
    }
    return flags;
}

batch_cost measure_batch(double min_time_s, std::optional<std::uint64_t> fixed_runs,
                         const std::function<command_cost()>& run) {
    auto batch = run_batch(fixed_runs.value_or(1), run);
    while (!fixed_runs && seconds(batch.all.wall) < min_time_s)
        batch = run_batch(next_runs(batch, min_time_s), run);
    return batch;
}

std::string benchmark_output(const benchmark_flags& flags, const std::string& name,
                             std::optional<std::uint64_t> fixed_runs,
                             const std::function<command_cost()>& run) {
    const bool is_selected = std::regex_search(name, std::regex{flags.filter});
    if (flags.only_list) return is_selected ? name + "\n" : "";
    auto rows = json::array();
    for (int i = 0; is_selected && i < flags.repetitions; ++i) {
        json row{{"name", name},
                 {"family_index", 0},
                 {"run_name", name},
                 {"per_family_instance_index", 0},
                 {"run_type", "iteration"},
                 {"repetitions", flags.repetitions},
                 {"repetition_index", i},
                 {"threads", 1}};
        try {
            row.update(row_of(measure_batch(flags.min_time_s, fixed_runs, run)));
        } catch (const std::runtime_error& failure) {
            row["error_occurred"] = true;
            row["error_message"] = failure.what();
        }
        rows.push_back(std::move(row));
    }
    const json context{{"executable", "loopbench-command"},
                       {"num_cpus", std::thread::hardware_concurrency()}};
    constexpr int indentation = 2;
    return json{{"context", context}, {"benchmarks", rows}}.dump(indentation, ' ', false,
                                                                 json::error_handler_t::replace) +
           "\n";
}

}  // namespace loopbench::bench
