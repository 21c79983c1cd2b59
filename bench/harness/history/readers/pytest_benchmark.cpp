// Reads the JSON that `pytest --benchmark-json` and `--benchmark-save` write. All times are in seconds.
#include <fmt/format.h>

#include <utility>

#include "bench/harness/history/dates.hpp"
#include "bench/harness/history/readers/readers.hpp"

namespace loopbench::bench {

namespace {

constexpr double ns_per_pytest_second = 1e9;

/// Returns the date without fractions of a second. A date without a time zone gets "Z", because every version
/// of pytest-benchmark writes UTC (the versions before 5 write it without a time zone).
std::string pytest_date(std::string date) {
    if (const auto dot = date.find('.'); dot != std::string::npos)
        date.erase(dot, date.find_first_not_of("0123456789", dot + 1) - dot);
    return in_utc(date + "Z") ? date + "Z" : date;
}

tool_metric pytest_time(const reports::node& stats) {
    if (const auto data = stats.find("data"); data && !data->is_null() && data->size() > 0)
        return time_of_samples(numbers_in_list(*data), ns_per_pytest_second);
    const auto median = stats.find("median");
    const auto seconds = number_or_nan(median ? *median : stats.at("mean"));
    return with_value(metric_named("time"),
                      {.median = seconds * ns_per_pytest_second, .low = {}, .high = {}});
}

tool_benchmark pytest_benchmark_in(const reports::node& from) {
    auto name = text_or_empty(from, "fullname");
    if (name.empty()) name = text_or_empty(from, "name");
    tool_benchmark one{.name = std::move(name)};
    one.metrics.push_back(pytest_time(from.at("stats")));
    refuse_impossible(one);
    return one;
}

/// Reads the processor. The name of the host is left out, because users share reports.
void read_machine(reports::environment& to, const reports::node& machine) {
    const auto text = [](const reports::node& in, std::string_view key) {
        const auto found = in.find(key);
        return found && found->is_text() ? found->text() : "";
    };
    to.kernel =
        fmt::format("{} {} {}", text(machine, "system"), text(machine, "release"), text(machine, "machine"));
    to.cpu_model = text(machine, "processor");
    const auto cpu = machine.find("cpu");
    if (!cpu || !cpu->is_object()) return;
    for (const auto* key : {"brand", "brand_raw"})  // py-cpuinfo before and since version 6
        if (auto brand = text(*cpu, key); !brand.empty()) to.cpu_model = std::move(brand);
    if (const auto count = cpu->find("count"); count && count->is_number()) to.cores = count->count();
}

nlohmann::ordered_json pytest_context(const reports::node& root) {
    nlohmann::ordered_json context{{"library", "pytest-benchmark"}};
    if (auto version = text_or_empty(root, "version"); !version.empty()) context["library_version"] = version;
    const auto machine = root.find("machine_info");
    if (!machine || !machine->is_object()) return context;
    const auto python = text_or_empty(*machine, "python_implementation");
    if (!python.empty())
        context["compiler"] = fmt::format("{} {}", python, text_or_empty(*machine, "python_version"));
    return context;
}

/// Reads the commit. pytest-benchmark writes "unversioned" or "unknown" if there is no repository.
void read_commit(tool_run& to, const reports::node& commit) {
    const auto id = text_or_empty(commit, "id");
    if (id.empty() || id == "unversioned" || id == "unknown") return;
    to.commit = id;
    if (const auto dirty = commit.find("dirty"); dirty && !dirty->is_null()) to.dirty = dirty->flag();
}

std::string project_in(const reports::node& root) {
    const auto commit = root.find("commit_info");
    const auto project = commit && commit->is_object() ? text_or_empty(*commit, "project") : "";
    return project.empty() ? "pytest-benchmark" : project;  // versions before 3.1 do not name the project
}

}  // namespace

bool recognises_pytest_benchmark(const outline& of) {
    return of.has_key("benchmarks") && (of.has_key("machine_info") || of.has_key("commit_info"));
}

std::vector<tool_run> read_pytest_benchmark(std::string_view text) {
    const auto document = parse_tool_json(text);
    const auto root = document.root();
    tool_run run{.contender = reports::describe(project_in(root), pytest_context(root))};
    run.date = pytest_date(text_or_empty(root, "datetime"));
    if (const auto machine = root.find("machine_info"); machine && machine->is_object())
        read_machine(run.where, *machine);
    if (const auto commit = root.find("commit_info"); commit && commit->is_object())
        read_commit(run, *commit);
    run.benchmarks = root.at("benchmarks").each(pytest_benchmark_in);
    return {std::move(run)};
}

}  // namespace loopbench::bench
