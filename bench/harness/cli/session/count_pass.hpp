// Runs the passes after the timed trials: the counting pass (`run --counts`, and always in `check`) and the
// checking pass (`run --checks`).
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

/// Returns the results that have a time in the report.
std::vector<cell_to_count> measured_cells(const reports::report& report, const run_plan& plan);

/// Counts these results, with the time limit `limit` for each process. Writes the system calls by name to
/// `folder`/counts.json; the folder must exist. Stops when `stop_fd` becomes readable; the remaining results
/// are then not counted.
std::vector<counted_result> count_cells(std::span<const cell_to_count> cells,
                                        const std::filesystem::path& folder, std::chrono::nanoseconds limit,
                                        int stop_fd);

/// Calls overhead_of() (bench/harness/counting/overhead.hpp) for every result that has a time in the report.
/// Stops when `stop_fd` becomes readable; the remaining results are then not checked.
std::vector<counted_result> check_cells(const reports::report& report, const run_plan& plan, int stop_fd);

}  // namespace loopbench::bench
