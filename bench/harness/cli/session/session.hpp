#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/cli/commands.hpp"
#include "bench/harness/experiment/record.hpp"
#include "bench/harness/trial/process/interrupt.hpp"
#include "reports/base/posix_io.hpp"
#include "reports/model/results.hpp"
#include "reports/render/formats/hgrm.hpp"

namespace loopbench::bench {

using session_start = std::chrono::steady_clock::time_point;

inline constexpr const char* how_trials_run =
    "Terms:\n"
    "A trial runs one contender on one workload, in a new process.\n"
    "A block is one trial of each contender on each workload. The order of the workloads, and of the\n"
    "contenders on each workload, is random. The same --seed gives the same order.\n"
    "The headline contenders and workloads give a first impression; `loopbench list` marks them.\n"
    "A ratio compares a contender's trial with the baseline's trial on the same workload in the same\n"
    "block; the two run close together in time. The reported ratio is the median of all blocks.\n"
    "The pairing is the way in which a block runs the trials of one workload. Sequential trials run one\n"
    "after the other. Interleaved trials alternate on one core, in slices of 2 ms. Concurrent trials run\n"
    "at the same time on one core, and their times are CPU times.\n"
    "Workloads that measure waiting are sequential. Other workloads with system calls are usually\n"
    "interleaved. Workloads without system calls are sequential in `run` and interleaved in `compare`.\n"
    "Google Benchmark programs that keep a core busy are concurrent.\n"
    "The A/A copy is the baseline, measured a second time under another name. If the two differ, the run\n"
    "is unreliable.\n"
    "The total size of the environment variables changes the speed of a program. Therefore each trial\n"
    "gets environment variables of a random total size.\n"
    "If other programs disturb a sequential trial, it is repeated, but only a limited number of times.\n"
    "docs/method.md explains the reasons.";

struct session_place {
    std::filesystem::path folder;
    const invocation& by;
    const interrupt& stop;
    session_start started;
    stopping_rule enough = {};
    /// A text that replaces the number of trials in the progress, because `enough` decides on that number.
    std::string step = {};
};

/// Warns of environment variables from which Google Benchmark programs take flags (BENCHMARK_FILTER), because
/// such a flag can hide benchmarks or change the measured work. Does nothing after the first call. Call it
/// before the contenders list their workloads.
void report_inherited_flags();

/// Sets the pairing and the number of cores of each workload in the plan. The plan must contain the
/// contenders' descriptions. `asked` maps workloads to requested pairings; plan.asked_pairing (--pairing)
/// takes precedence.
void choose_pairings(run_plan& plan, const std::map<std::string, reports::pairing>& asked = {});

/// Completes a plan: asks the contenders for their descriptions, chooses the pairings and adds the A/A copy.
/// The descriptions take at most a fifth of the plan's budget, counted from `started`.
///
/// Throws usage_error if the contenders' builds are not comparable; the message then ends with `other_remedy`
/// (see build_comparison.hpp). Throws `interrupted` after a signal.
void complete_plan(run_plan& plan, const interrupt& stop, session_start started,
                   std::string_view other_remedy = {});

/// Chooses the concurrent pairing for each workload outside the catalog that keeps a core busy in short
/// trials of both programs. Does nothing if the command line chooses a pairing. Shows its progress. Stops
/// after a fifth of the plan's budget, and returns the workloads that it did not try. Throws `interrupted`
/// after a signal. Use it only for comparisons of third-party programs.
std::vector<std::string> pair_third_party_programs(run_plan& plan, const interrupt& stop,
                                                   session_start started);

/// Prints how the trials of a comparison are paired, and why some of them are sequential. `unknown` is the
/// result of pair_third_party_programs(). Does nothing if the command line chooses a pairing, because
/// complete_plan() then prints notes about the pairing.
void report_pairings(const run_plan& plan, const std::vector<std::string>& unknown);

struct finished_run {
    session_record record;
    /// The error if the counting or the checking pass could not write its results, or if the counts.json of
    /// an earlier run could not be removed. `record` does not contain results that could not be written.
    std::optional<reports::file_error> unwritten;
};

/// Runs the trials and then, unless interrupted, the counting and the checking pass if the plan requests
/// them. Creates the folder and a new journal. The reports of an earlier run stay in the folder until
/// publish() replaces them.
finished_run measure(run_plan plan, const session_place& place);

/// Resumes the run whose journal is in the folder. Throws usage_error if the journal is missing, or if the
/// machine or a contender has changed.
finished_run measure_rest(const session_place& place);

/// Reads the histogram files beside the report file. If a histogram file is missing or damaged, prints a
/// warning and returns an empty vector.
std::vector<reports::histogram> known_histograms(const std::filesystem::path& report_file,
                                                 const reports::report& report);

enum class detail { one_screen, comparison, every_table };

/// Prints the tables to standard output and the warnings to standard error, and writes report.json,
/// report.csv and report.html. If an output fails, or if run.unwritten is set, first writes the other outputs
/// and then throws reports::file_error.
void publish(const finished_run& run, const reports::report& report, const std::filesystem::path& folder,
             detail how);

}  // namespace loopbench::bench
