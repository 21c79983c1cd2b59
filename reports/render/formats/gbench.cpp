// Writes Google Benchmark's JSON, with a row for each trial that has a time. Rows with equal names are
// repetitions. There are no aggregates and no rows without numbers, because a chart would show them as times.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "reports/model/json.hpp"
#include "reports/model/report_index.hpp"
#include "reports/render/formats/formats.hpp"

namespace loopbench::reports {

namespace {

using json = nlohmann::ordered_json;

double cpu_time(const report_index& all, const result& time, std::size_t index) {
    const auto* const cpu = all.find(time.workload, time.contender, "cpu");
    const bool known = cpu != nullptr && index < cpu->samples.size() && cpu->samples[index];
    return known ? *cpu->samples[index] : *time.samples[index];
}

/// Returns true if a contender states that it is not a release build. compare.py then prints a warning.
bool is_debug(const report& content) {
    return std::ranges::any_of(content.contenders, [](const contender& who) {
        const auto assertions = context_text(who.context, "assertions"),
                   optimised = context_text(who.context, "optimised");
        return context_text(who.context, "build_type") == "Debug" || assertions == "on" || optimised == "no";
    });
}

void add_rows(json& rows, const report_index& all, const result& time) {
    const auto name = fmt::format("{}/{}", time.workload, time.contender);
    for (std::size_t i = 0; i < time.samples.size(); ++i) {
        if (!time.samples[i]) continue;
        rows.push_back({{"name", name},
                        {"run_name", name},
                        {"run_type", "iteration"},
                        {"repetitions", time.samples.size()},
                        {"repetition_index", i},
                        {"threads", 1},
                        {"iterations", 1},
                        {"real_time", *time.samples[i]},
                        {"cpu_time", cpu_time(all, time, i)},
                        {"time_unit", "ns"}});
    }
}

}  // namespace

std::string write_gbench(const report& content) {
    auto rows = json::array();
    const report_index index{content};
    for (const auto& item : content.results)
        if (item.metric == "time") add_rows(rows, index, item);
    const json document{{"context",
                         {{"date", content.where.date},
                          {"executable", "loopbench"},
                          {"num_cpus", content.where.cores},
                          {"load_avg", content.where.load_average},
                          {"caches", json::array()},  // Bencher's reader requires the list
                          {"library_build_type", is_debug(content) ? "debug" : "release"},
                          {"loopbench_version", content.where.loopbench_version},
                          {"kernel", content.where.kernel}}},
                        {"benchmarks", std::move(rows)}};
    return dump(document, 1) + "\n";
}

}  // namespace loopbench::reports
