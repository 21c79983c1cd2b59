// The passes after the timed one: counting in `run --counts`, and by itself in `check`; checks in `run
// --checks`.
#pragma once

#include <chrono>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "bench/experiment/counted.hpp"
#include "bench/experiment/plan.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

struct cell_to_count {
    const contender* who = nullptr;
    std::string workload;
};

/// Those that have a time in the report.
std::vector<cell_to_count> measured_cells(const reports::report& report, const run_plan& plan);

/// Counts the cells, with `limit` for each process, and writes the system calls by name to
/// `folder`/counts.json, which has to be there. Cells that are left when `stop_fd` becomes readable are not
/// counted.
std::vector<counted_cell> count_cells(std::span<const cell_to_count> cells,
                                      const std::filesystem::path& folder, std::chrono::nanoseconds limit,
                                      int stop_fd);

/// Checks every cell that has a time in the report, by price_of() (bench/counting/price.hpp). Cells that are
/// left when `stop_fd` becomes readable are not checked.
std::vector<counted_cell> check_cells(const reports::report& report, const run_plan& plan, int stop_fd);

}  // namespace loopbench::bench
