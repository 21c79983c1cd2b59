#pragma once

#include <chrono>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "bench/harness/experiment/counted.hpp"
#include "bench/harness/experiment/plan.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

struct cell_to_count {
    const contender* who = nullptr;
    std::string workload;
};

std::vector<cell_to_count> measured_cells(const reports::report& report, const run_plan& plan);

/// Measures the counts of each workload and contender in `cells`, and writes counts.json into `folder`, which
/// must exist. `limit` is the time limit of a process without a tracer; a traced process gets at least the
/// default of counting_options::traced_limit. Stops early when `stop_fd` becomes readable.
std::vector<counted_result> count_cells(std::span<const cell_to_count> cells,
                                        const std::filesystem::path& folder, std::chrono::nanoseconds limit,
                                        int stop_fd);

std::vector<counted_result> check_cells(const reports::report& report, const run_plan& plan, int stop_fd);

}  // namespace loopbench::bench
