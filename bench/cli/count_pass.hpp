// `run --counts`: the counting pass after the timed one.
#pragma once

#include <filesystem>

#include "bench/engine/plan.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

/// Counts every cell that has a time, adds the counts to the report as deterministic results, and writes the system
/// calls by name to `folder`/counts.json. Cells that are left when `stop_fd` becomes readable are not counted.
void add_counts(reports::report& report, const run_plan& plan, const std::filesystem::path& folder,
                int stop_fd);

}  // namespace loopbench::bench
