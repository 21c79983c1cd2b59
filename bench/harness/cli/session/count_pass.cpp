// The counting pass writes counts.json, because the report does not contain the details of the counts, such
// as the system calls by name.
#include "bench/harness/cli/session/count_pass.hpp"

#include <poll.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "bench/harness/cli/session/progress.hpp"
#include "bench/harness/counting/counts.hpp"
#include "bench/harness/counting/overhead.hpp"
#include "bench/harness/machine/environment.hpp"
#include "bench/harness/summary/passes.hpp"
#include "reports/base/atomic_file.hpp"
#include "reports/base/file_formats.hpp"
#include "reports/model/json.hpp"

namespace loopbench::bench {

namespace {

using json = nlohmann::ordered_json;

bool asked_to_stop(int stop_fd) {
    pollfd stop{.fd = stop_fd, .events = POLLIN, .revents = 0};
    return stop_fd >= 0 && ::poll(&stop, 1, 0) > 0;
}

json to_json(const std::string& workload, const std::string& contender, const operation_counts& counts) {
    return {{"workload", workload},
            {"contender", contender},
            {"tracer", counts.tracer},
            {"operations", counts.operations},
            {"per_operation", counts.metrics},
            {"samples", counts.samples},
            {"system_calls", counts.system_calls_by_name},
            {"missing", counts.missing}};
}

}  // namespace

std::vector<cell_to_count> measured_cells(const reports::report& report, const run_plan& plan) {
    std::vector<cell_to_count> cells;
    for (const auto& workload : plan.workloads)
        for (const auto& who : plan.contenders)
            if (has_time(report, workload, who.name)) cells.push_back({&who, workload});
    return cells;
}

std::vector<counted_result> count_cells(std::span<const cell_to_count> cells,
                                        const std::filesystem::path& folder, std::chrono::nanoseconds limit,
                                        int stop_fd) {
    counting_options options{.malloc_counter = default_malloc_counter(), .limit = limit, .stop_fd = stop_fd};
    options.traced_limit = std::max(options.traced_limit, limit);
    std::vector<counted_result> counted;
    json details = json::array();
    progress shown;
    for (const auto& [who, workload] : cells) {
        if (asked_to_stop(stop_fd)) break;
        shown.show(workload, who->name, counted.size(), cells.size());
        const auto counts = count(*who, workload, options);
        if (asked_to_stop(stop_fd)) break;
        details.push_back(to_json(workload, who->name, counts));
        counted.push_back({workload, who->name, counts.metrics, counts.missing, counts.failed, counts.tracer,
                           counts.samples});
    }
    const json whole{{"schema", reports::counts_format.schema},
                     {"version", loopbench_version()},
                     {"cells", std::move(details)}};
    reports::write_file_atomically(folder / "counts.json", reports::dump(whole, 1) + "\n");
    return counted;
}

std::vector<counted_result> check_cells(const reports::report& report, const run_plan& plan, int stop_fd) {
    const auto cells = measured_cells(report, plan);
    process_executor executor{stop_fd};
    std::vector<counted_result> checked;
    progress shown;
    std::uint64_t done = 0;
    for (const auto& [who, workload] : cells) {
        if (asked_to_stop(stop_fd)) break;
        shown.show(workload, who->name, done++, cells.size());
        auto cell = overhead_of(*who, workload, report, plan, executor);
        if (!cell.metrics.empty() || !cell.missing.empty()) checked.push_back(std::move(cell));
    }
    return checked;
}

}  // namespace loopbench::bench
