// Reads the results of criterion, the benchmark library for Rust: the folder target/criterion, and the lines
// that `cargo criterion --message-format=json` prints. Each benchmark has a folder `new` with several files:
//     benchmark.json   the benchmark's name
//     sample.json      the number of iterations and the total time of each sample, in ns
//     estimates.json   the median with its interval
// The files do not name a unit, apart from raw.csv, which old versions write.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "bench/harness/history/readers/readers.hpp"
#include "bench/harness/history/readers/units.hpp"
#include "reports/base/posix_io.hpp"

namespace loopbench::bench {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view nanoseconds = "ns";

/// Returns the metric `time`, or the metric "value" if the user measures something else, such as cycles.
tool_metric criterion_metric(const std::string& unit, std::vector<double> samples) {
    if (const auto ns = ns_in(unit)) return time_of_samples(std::move(samples), *ns);
    return {.metric = std::string{other_metric}, .unit = unit, .samples = std::move(samples)};
}

/// Divides the value of each sample by its number of iterations.
std::vector<double> per_iteration(const reports::node& iterations, const reports::node& values) {
    const auto counts = numbers_in_list(iterations);
    auto all = numbers_in_list(values);
    if (counts.size() != all.size())
        values.fail("{} values, but {} numbers of iterations", all.size(), counts.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] /= counts[i];
    return all;
}

tool_run criterion_run(std::vector<tool_benchmark> benchmarks) {
    tool_run run{.contender = reports::describe("criterion", {{"library", "criterion"}})};
    run.benchmarks = std::move(benchmarks);
    return run;
}

tool_benchmark criterion_benchmark(std::string name, tool_metric metric) {
    tool_benchmark one{.name = std::move(name)};
    one.primary_metrics = {metric.metric};
    one.metrics.push_back(std::move(metric));
    refuse_impossible(one);
    return one;
}

tool_benchmark benchmark_in_message(const reports::node& message) {
    auto samples = per_iteration(message.at("iteration_count"), message.at("measured_values"));
    return criterion_benchmark(message.at("id").text(),
                               criterion_metric(message.at("unit").text(), std::move(samples)));
}

/// Returns the value of the first of these keys that exists. criterion before 0.4 wrote names in upper case.
std::optional<reports::node> find_either(const reports::node& in, std::string_view key,
                                         std::string_view old) {
    const auto found = in.find(key);
    return found ? found : in.find(old);
}

std::vector<double> samples_in_file(const reports::node& root) {
    if (!root.is_list()) return per_iteration(root.at("iters"), root.at("times"));
    const auto lists = root.each([](const reports::node& list) { return list; });  // criterion before 0.3.4
    if (lists.size() != 2) root.fail("expected two lists, found {}", lists.size());
    return per_iteration(lists[0], lists[1]);
}

/// Returns the median. Leaves out its interval if its level is not that of a report's intervals.
estimate estimate_in_file(const reports::node& root) {
    const auto median = find_either(root, "median", "Median");
    if (!median) root.fail("the field \"median\" is missing");
    estimate found{.median = number_or_nan(median->at("point_estimate")), .low = {}, .high = {}};
    const auto interval = median->at("confidence_interval");
    if (interval.at("confidence_level").number() != default_level) return found;
    found.low = number_or_nan(interval.at("lower_bound"));
    found.high = number_or_nan(interval.at("upper_bound"));
    return found;
}

std::string text_in_file(const fs::path& file) {
    try {
        return reports::read_file(file.native());
    } catch (const reports::file_error& error) {
        throw reports::format_error{error.what()};
    }
}

template <class function>
auto with_file(const fs::path& file, function read) {
    const auto text = text_in_file(file);
    try {
        return read(parse_tool_json(text).root());
    } catch (const reports::format_error& error) {
        throw reports::format_error{"{}: {}", file.native(), error.what()};
    }
}

/// Returns the unit in the last line of raw.csv, where the unit is the last field but one.
std::string unit_beside(const fs::path& folder) {
    const auto file = folder / "raw.csv";
    if (!fs::exists(file)) return std::string{nanoseconds};
    const auto text = text_in_file(file);
    const std::string_view rows{text};
    if (rows.find(",unit,") == std::string_view::npos) return std::string{nanoseconds};
    const auto last_comma = rows.rfind(',');
    const auto comma = rows.rfind(',', last_comma - 1);
    return std::string{rows.substr(comma + 1, last_comma - comma - 1)};
}

tool_benchmark benchmark_in_folder(const fs::path& folder) {
    auto name = with_file(folder / "benchmark.json",
                          [](const reports::node& root) { return root.at("full_id").text(); });
    const auto unit = unit_beside(folder);
    if (const auto file = folder / "sample.json"; fs::exists(file))
        return criterion_benchmark(std::move(name), criterion_metric(unit, with_file(file, samples_in_file)));
    const auto median = with_file(folder / "estimates.json", estimate_in_file);
    return criterion_benchmark(std::move(name), with_value(criterion_metric(unit, {}), median));
}

bool has_results(const fs::path& folder) {
    constexpr std::array<const char*, 2> names{"sample.json", "estimates.json"};
    return std::ranges::any_of(names, [&](const char* name) {
        std::error_code error;
        return fs::is_regular_file(folder / name, error);
    });
}

/// Returns the folders `new` of all benchmarks below `root`, sorted by path, or `root` itself if it has
/// results. Stops after `most` folders.
std::vector<fs::path> result_folders_in(const fs::path& root, std::size_t most = SIZE_MAX) {
    if (has_results(root)) return {root};
    std::vector<fs::path> all;
    std::error_code error, unknown_type;
    fs::recursive_directory_iterator each{root, fs::directory_options::skip_permission_denied, error};
    for (; !error && all.size() < most && each != fs::recursive_directory_iterator{}; each.increment(error))
        if (each->is_directory(unknown_type) && each->path().filename() == "new" && has_results(each->path()))
            all.push_back(each->path());
    std::ranges::sort(all);
    return all;
}

/// Warns of results that are much older than the others. criterion keeps the results of a benchmark that was
/// removed, or that a filter left out.
void warn_of_old_results(tool_run& run, const std::vector<fs::path>& folders) {
    constexpr std::chrono::hours session{24};
    std::vector<fs::file_time_type> times;
    for (const auto& folder : folders) {
        const auto sample = folder / "sample.json";
        times.push_back(fs::last_write_time(fs::exists(sample) ? sample : folder / "estimates.json"));
    }
    const auto newest = *std::ranges::max_element(times);
    const auto is_old = [&](auto time) { return newest - time > session; };
    const auto old = std::ranges::find_if(times, is_old);
    if (old == times.end()) return;
    run.warnings.push_back(
        {"old_results",
         fmt::format("{} of {} benchmarks were measured more than a day before the others, for example {}",
                     std::ranges::count_if(times, is_old), times.size(),
                     run.benchmarks[static_cast<std::size_t>(old - times.begin())].name),
         "if they no longer run, remove the folder, run all benchmarks, and add the folder again"});
}

}  // namespace

bool recognises_criterion(const outline& of) {
    return of.contains(R"("reason":"benchmark-complete")") || of.contains(R"("reason":"group-complete")") ||
           (of.has_key("full_id") && of.has_key("group_id")) ||
           (of.has_key("iters") && of.has_key("times")) ||
           ((of.has_key("median") || of.has_key("Median")) &&
            (of.has_key("std_dev") || of.has_key("StdDev")));
}

std::vector<tool_run> read_criterion(std::string_view text) {
    const outline of{text};
    if (!of.has_key("reason") && !of.contains(R"("reason":)"))
        throw reports::format_error{
            "it is one of several files with a benchmark's results; name the folder instead, such as "
            "target/criterion"};
    std::vector<tool_benchmark> all;
    std::size_t number = 0;
    while (!text.empty()) {
        const auto line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        ++number;
        if (!line.starts_with('{')) continue;  // the benchmark program's own output
        const auto document = parse_tool_json(line, number);
        if (text_or_empty(document.root(), "reason") == "benchmark-complete")
            all.push_back(benchmark_in_message(document.root()));
    }
    return {criterion_run(std::move(all))};
}

bool recognises_criterion_folder(const fs::path& folder) {
    return !result_folders_in(folder, 1).empty();
}

std::vector<tool_run> read_criterion_folder(const fs::path& folder) {
    const auto folders = result_folders_in(folder);
    std::vector<tool_benchmark> all;
    std::ranges::transform(folders, std::back_inserter(all), benchmark_in_folder);
    auto run = criterion_run(std::move(all));
    warn_of_old_results(run, folders);
    return {std::move(run)};
}

}  // namespace loopbench::bench
