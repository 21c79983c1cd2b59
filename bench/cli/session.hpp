// One session of measuring, as run and compare have it: trials with a journal and a progress bar, then the
// reports.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/experiment/journal_read.hpp"
#include "bench/experiment/runner.hpp"
#include "bench/trial/interrupt.hpp"
#include "reports/posix_io.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

/// When the command began: a budget counts from there.
using session_start = std::chrono::steady_clock::time_point;

/// What `--help` says of the method, under the options.
inline constexpr const char* how_trials_run =
    "A trial is a fresh process. Trials come in blocks, one of each cell, in a random order that\n"
    "--seed repeats. The environment of each is up to 4 KiB larger than it has to be, by the seed,\n"
    "and the baseline runs twice, under two names of the same length: what the length of either\n"
    "does to the speed is then noise that the intervals show. A block's trials of a workload that\n"
    "something disturbed (steal, a wait for a CPU, another clock source) are run again, within\n"
    "limits, and the report says how many were. `loopbench run --resume DIR` goes on with what was\n"
    "interrupted or killed.";

/// What is done after the timed trials, to cells that have a time.
struct further_passes {
    bool counts = false;  // system calls, waits, allocations: count_pass.hpp
    bool checks = false;  // what measuring costs, and whether time grows with work: bench/counting/price.hpp
};

/// The trials of the plan with a new journal in `folder`, which it makes, and nothing else.
journal_content gather(const run_plan& plan, const std::vector<std::string>& command,
                       const std::filesystem::path& folder, const interrupt& stop, session_start started);

struct finished_run {
    run_plan plan;
    reports::report report;
    /// Why what the further passes found could not be written; then it is not in the report either.
    std::optional<reports::file_error> unwritten;
};

/// Measures the plan with a new journal in `folder`, which it makes; the reports of an earlier run there stay
/// until publish() replaces them. An interrupted run has no further passes.
finished_run measure(const run_plan& plan, const std::vector<std::string>& command,
                     const std::filesystem::path& folder, const interrupt& stop, session_start started,
                     further_passes further = {});

/// Goes on with the journal in `folder`, with the further passes of that run if it has not had them. Throws
/// usage_error when there is none, or when an executable has changed.
finished_run measure_rest(const std::filesystem::path& folder, const interrupt& stop, session_start started);

/// Writes report.json and report.csv, the table to standard output and the warnings to standard error. Throws
/// reports::file_error for what could not be written, here or before, after everything else has been.
void publish(const finished_run& run, const std::filesystem::path& folder);

}  // namespace loopbench::bench
