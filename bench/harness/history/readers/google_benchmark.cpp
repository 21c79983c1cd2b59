// Reads the JSON that a Google Benchmark program prints. The program becomes the contender, and its
// repetitions become the samples.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "bench/harness/history/readers/readers.hpp"
#include "bench/harness/trial/gbench_json.hpp"
#include "bench/harness/trial/gbench_names.hpp"
#include "reports/model/metrics.hpp"

namespace loopbench::bench {

namespace {

using json = nlohmann::ordered_json;

tool_metric metric_of_counter(std::string_view counter) {
    if (counter == "bytes_per_second")
        return {.metric = "bytes_per_second", .unit = "B/s", .better = reports::direction::larger};
    return metric_named(counter == "items_per_second" ? "throughput" : counter);
}

bool is_metric(std::string_view counter) {
    return counter == "bytes_per_second" || counter == "items_per_second" ||
           reports::find_metric(counter) != nullptr;
}

/// Describes the processor by its cache sizes, which are the same in each run. The clock rate is unsuitable,
/// because each run measures it and gets a slightly different value.
std::string processor_in(const json& context) {
    std::vector<std::string> sizes;
    if (const auto caches = context.find("caches"); caches != context.end() && caches->is_array())
        for (const auto& cache : *caches)
            if (cache.is_object() && cache.contains("size") && cache["size"].is_number())
                sizes.push_back(fmt::format("{:g}", cache["size"].get<double>() / 1024));
    if (sizes.empty()) return "a processor";
    return fmt::format("a processor with caches of {} KiB", fmt::join(sizes, ", "));
}

reports::environment machine_in(const json& context) {
    reports::environment where;
    if (const auto cores = context.find("num_cpus"); cores != context.end() && cores->is_number())
        where.cores = static_cast<std::int64_t>(std::clamp(cores->get<double>(), 0.0, 1e6));
    where.cpu_model = processor_in(context);
    return where;
}

struct repetitions {
    std::string name;
    std::map<std::string, std::vector<double>> by_metric;
    std::optional<std::string> error;
};

/// Returns the numbers of a row by metric. A row is one repetition and thus one sample. Therefore, if several
/// numbers belong to one metric, only one of them is kept.
std::map<std::string, std::optional<double>> numbers_in(const gbench_row& row) {
    std::map<std::string, std::optional<double>> all{{"cpu", row.cpu_time_ns}};
    for (const auto& [counter, value] : row.counters)
        if (value && is_metric(counter)) all[metric_of_counter(counter).metric] = value;
    all["time"] = row.real_time_ns;
    if (const auto rate = row.counters.find("items_per_second"); rate != row.counters.end())
        all["throughput"] = rate->second;
    return all;
}

void add_row(repetitions& to, const gbench_row& row) {
    if (row.error) {
        if (!to.error) to.error = row.error;
        return;
    }
    if (!row.real_time_ns || *row.real_time_ns <= 0) {
        if (!to.error)
            to.error = row.real_time_ns ? "the program printed no time above 0 for the benchmark"
                                        : "the program printed no time for the benchmark";
        return;
    }
    for (const auto& [metric, value] : numbers_in(row))
        if (value) to.by_metric[metric].push_back(*value);
}

tool_benchmark benchmark_of(const repetitions& rows) {
    // A counter can have the name of a metric, but only the time is a primary metric.
    tool_benchmark one{.name = rows.name, .error = rows.error, .primary_metrics = {"time"}};
    if (one.error) return one;
    for (const auto& [name, samples] : rows.by_metric) {
        auto metric = metric_of_counter(name);
        metric.samples = samples;
        one.metrics.push_back(std::move(metric));
    }
    return one;
}

/// Pools the repetitions of a benchmark. The numbers of benchmarks with equal names follow the order of their
/// registration.
std::vector<repetitions> repetitions_in(const gbench_output& output) {
    using identity = std::tuple<std::string, std::optional<double>, std::optional<double>>;
    std::vector<repetitions> all;
    std::map<identity, std::size_t> places;
    for (const auto& row : output.rows) {
        const auto [found, is_new] = places.try_emplace({row.name, row.family, row.instance}, all.size());
        if (is_new) all.push_back({row.name, {}, {}});
        add_row(all[found->second], row);
    }
    std::vector<std::string> names;
    for (const auto& [of, place] : places) names.push_back(all[place].name);
    const auto distinct = distinct_names(names);
    for (auto name = distinct.begin(); const auto& [of, place] : places) all[place].name = *name++;
    return all;
}

gbench_output parse_program_output(std::string_view text) {
    try {
        return parse_gbench_json(text);
    } catch (const gbench_error& error) {
        const auto first = text.find("\"benchmarks\"");
        const bool is_repeated = first != text.npos && text.find("\"benchmarks\"", first + 1) != text.npos;
        const auto front = text.find_first_not_of(" \t\r\n");
        const bool is_json = front != text.npos && text[front] == '{';
        throw reports::format_error{
            "{}; {}", error.what(),
            is_repeated ? "it seems to contain several outputs, so write each run into its own file, or use "
                          "--benchmark_repetitions"
            : is_json   ? "the file is incomplete or invalid; write it again"
                        : "if the program also prints other text, write the file with --benchmark_out=FILE"};
    }
}

}  // namespace

bool recognises_google_benchmark(const outline& of) {
    return of.has_key("benchmarks");
}

std::vector<tool_run> read_google_benchmark(std::string_view text) {
    const auto output = parse_program_output(text);
    tool_run run{.contender = reports::describe(output.program.empty() ? "benchmark" : output.program,
                                                output.context)};
    run.commit = reports::context_text(output.context, "commit").value_or("");
    run.date = reports::context_text(output.context, "date").value_or("");
    run.where = machine_in(output.context);
    std::ranges::transform(repetitions_in(output), std::back_inserter(run.benchmarks), benchmark_of);
    return {std::move(run)};
}

}  // namespace loopbench::bench
