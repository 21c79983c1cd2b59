#include "bench/cli/count_pass.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "bench/cli/progress.hpp"
#include "bench/counting/counts.hpp"
#include "reports/atomic_file.hpp"
#include "reports/metrics.hpp"

namespace loopbench::bench {

namespace {

using json = nlohmann::ordered_json;

bool has_time(const reports::report& report, const std::string& workload, const std::string& contender) {
    return std::ranges::any_of(report.results, [&](const reports::result& each) {
        return each.workload == workload && each.contender == contender && each.metric == "time" &&
               each.status == reports::cell_status::ok;
    });
}

bool asked_to_stop(int stop_fd) {
    pollfd stop{.fd = stop_fd, .events = POLLIN, .revents = 0};
    return stop_fd >= 0 && ::poll(&stop, 1, 0) > 0;
}

reports::result to_result(const std::string& workload, const std::string& contender,
                          const reports::metric_info& metric, double value) {
    reports::result result;
    result.workload = workload;
    result.contender = contender;
    result.metric = metric.name;
    result.unit = metric.unit;
    result.better = metric.better;
    result.deterministic = metric.deterministic;
    result.samples = {value};
    result.median = result.low = result.high = value;
    return result;
}

/// Behind the cell's other results, in the order of the metrics; what a contender said of the metric itself makes way.
void insert(reports::report& report, const std::string& workload, const std::string& contender,
            const operation_counts& counts) {
    const auto is_of_cell = [&](const reports::result& each) {
        return each.workload == workload && each.contender == contender;
    };
    std::erase_if(report.results, [&](const reports::result& each) {
        return is_of_cell(each) && counts.metrics.contains(each.metric);
    });
    const auto last = std::find_if(report.results.rbegin(), report.results.rend(), is_of_cell);
    auto where = last.base();
    for (const auto& metric : reports::known_metrics())
        if (const auto found = counts.metrics.find(std::string{metric.name}); found != counts.metrics.end())
            where = std::next(
                report.results.insert(where, to_result(workload, contender, metric, found->second)));
}

json to_json(const std::string& workload, const std::string& contender, const operation_counts& counts) {
    return {{"workload", workload},
            {"contender", contender},
            {"tracer", counts.tracer},
            {"operations", counts.operations},
            {"per_operation", counts.metrics},
            {"system_calls", counts.system_calls_by_name},
            {"missing", counts.missing}};
}

/// One line for all cells that lack something for the same reason.
void warn_of_missing(reports::report& report, const json& cells) {
    std::map<std::string, std::size_t> reasons;
    for (const auto& cell : cells)
        for (const auto& reason : cell["missing"]) ++reasons[reason.get<std::string>()];
    for (const auto& [reason, count] : reasons)
        report.warnings.push_back({"counts_missing",
                                   fmt::format("{} of {} cells lack counts: {}", count, cells.size(), reason),
                                   "see counts.json for which"});
}

/// What came of each cell; ends early when it is asked to.
json count_cells(reports::report& report, const run_plan& plan, int stop_fd) {
    const counting_options options{
        .malloc_counter = default_malloc_counter(), .limit = plan.trial_limit, .stop_fd = stop_fd};
    json cells = json::array();
    progress shown;
    const std::uint64_t total = plan.workloads.size() * plan.contenders.size();
    std::uint64_t done = 0;
    for (const auto& workload : plan.workloads) {
        for (const auto& who : plan.contenders) {
            shown.show(workload, who.name, done++, total);
            if (!has_time(report, workload, who.name)) continue;
            const auto counts = count(who, workload, options);
            if (asked_to_stop(stop_fd)) return cells;
            insert(report, workload, who.name, counts);
            cells.push_back(to_json(workload, who.name, counts));
        }
    }
    return cells;
}

}  // namespace

void add_counts(reports::report& report, const run_plan& plan, const std::filesystem::path& folder,
                int stop_fd) {
    json cells = count_cells(report, plan, stop_fd);
    warn_of_missing(report, cells);
    const json whole{{"schema", "loopbench-counts/1"}, {"cells", std::move(cells)}};
    reports::write_file_atomically(folder / "counts.json", whole.dump(1) + "\n");
}

}  // namespace loopbench::bench
