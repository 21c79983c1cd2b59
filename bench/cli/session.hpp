// One session of measuring, as run and compare have it: trials with a journal and a progress bar, then the reports.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/engine/interrupt.hpp"
#include "bench/engine/runner.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

/// When the command began: a budget counts from there.
using session_start = std::chrono::steady_clock::time_point;

/// Measures the plan with a new journal in `folder`, which it makes; writes no report yet.
reports::report measure(const run_plan& plan, const std::vector<std::string>& command,
                        const std::filesystem::path& folder, const interrupt& stop, session_start started);

/// Goes on with the journal in `folder`. Throws usage_error when there is none, or when an executable has changed.
reports::report measure_rest(const std::filesystem::path& folder, const interrupt& stop,
                             session_start started);

/// Writes report.json and report.csv, the table to standard output and the warnings to standard error.
void publish(const reports::report& report, const std::filesystem::path& folder);

}  // namespace loopbench::bench
