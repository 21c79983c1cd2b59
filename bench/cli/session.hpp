// One session of measuring, as run and compare have it: trials with a journal and a progress bar, then the reports.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/engine/interrupt.hpp"
#include "bench/engine/journal_read.hpp"
#include "bench/engine/runner.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

/// When the command began: a budget counts from there.
using session_start = std::chrono::steady_clock::time_point;

/// What is done after the timed trials, to cells that have a time.
struct further_passes {
    bool counts = false;  // system calls, waits, allocations: count_pass.hpp
    bool checks = false;  // what measuring costs, and whether time grows with work: bench/engine/price.hpp
};

/// The trials of the plan with a new journal in `folder`, which it makes, and nothing else.
journal_content gather(const run_plan& plan, const std::vector<std::string>& command,
                       const std::filesystem::path& folder, const interrupt& stop, session_start started);

/// Measures the plan with a new journal in `folder`, which it makes; the reports of an earlier run there are removed
/// when that is begun, and none is written yet. An interrupted run has no further passes.
reports::report measure(const run_plan& plan, const std::vector<std::string>& command,
                        const std::filesystem::path& folder, const interrupt& stop, session_start started,
                        further_passes further = {});

/// Goes on with the journal in `folder`. Counts that it has are kept, and no others are made. Throws usage_error when
/// there is none, or when an executable has changed.
reports::report measure_rest(const std::filesystem::path& folder, const interrupt& stop,
                             session_start started);

/// Writes report.json and report.csv, the table to standard output and the warnings to standard error.
void publish(const reports::report& report, const std::filesystem::path& folder);

}  // namespace loopbench::bench
