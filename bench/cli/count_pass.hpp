// `run --counts`: the counting pass after the timed one.
#pragma once

#include <filesystem>
#include <vector>

#include "bench/engine/counted.hpp"
#include "bench/engine/plan.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

/// Counts every cell that has a time in the report, and writes the system calls by name to `folder`/counts.json. Cells
/// that are left when `stop_fd` becomes readable are not counted.
std::vector<counted_cell> count_cells(const reports::report& report, const run_plan& plan,
                                      const std::filesystem::path& folder, int stop_fd);

}  // namespace loopbench::bench
