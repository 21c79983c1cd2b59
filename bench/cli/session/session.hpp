// One measuring session, as all commands use it: trials with a journal and a progress bar, then the reports.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/cli/commands.hpp"
#include "bench/experiment/record.hpp"
#include "bench/trial/process/interrupt.hpp"
#include "reports/files/posix_io.hpp"
#include "reports/formats/hgrm.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

/// Start of the command; a budget counts from there.
using session_start = std::chrono::steady_clock::time_point;

/// Help text about the method, shown below the options.
inline constexpr const char* how_trials_run =
    "A trial is a fresh process. Trials come in blocks, one of each cell, in a random order that\n"
    "--seed repeats; those of a workload that keeps a core busy take turns on it, of two\n"
    "milliseconds, or of one batch or a few rounds where that takes longer. The environment of each is\n"
    "up to 4 KiB larger than it has to be, by the seed, and the baseline runs twice, under two names\n"
    "of the same length: what the length of either does to the speed is then noise that the\n"
    "intervals show. Of trials made one after the other, a block's trials of a workload that\n"
    "something disturbed (steal, a wait for a CPU, another clock source) are run again, within\n"
    "limits, and the report says how many were. `loopbench run --resume DIR` goes on with what was\n"
    "interrupted or killed.";

/// Output folder and context of a session.
struct session_place {
    std::filesystem::path folder;
    const invocation& by;
    const interrupt& stop;
    session_start started;
};

/// Chooses the pairing and the cores of each workload's trials, once the contenders are described. `asked`
/// has pairings by workload; a pairing that the plan sets for all workloads takes precedence.
void choose_pairings(run_plan& plan, const std::map<std::string, reports::pairing>& asked = {});

/// Does the last steps of every plan: the contenders describe themselves, contenders with incomparable builds
/// are refused (with `other_remedy`, see build_comparison.hpp), and the baseline gets its A/A copy. Throws
/// interrupted.
void complete_plan(run_plan& plan, const interrupt& stop, std::string_view other_remedy = {});

/// Chooses the concurrent pairing for workloads that the catalog does not know, if they keep a core busy in
/// both programs; a short trial of each benchmark tells. Does nothing if the command line chooses a pairing.
/// For comparisons of third-party programs. Throws interrupted.
void let_strangers_run_together(run_plan& plan, const interrupt& stop);

struct finished_run {
    session_record record;
    /// Set if the results of the further passes could not be written; then they are not in the record either.
    std::optional<reports::file_error> unwritten;
};

/// Measures the plan, with the passes after its trials that it asks for. Creates the folder and a new journal
/// in it; the reports of an earlier run there stay until publish() replaces them. After an interrupted run
/// there are no further passes.
finished_run measure(run_plan plan, const session_place& place);

/// Continues the journal in the folder. Throws usage_error if there is none, or if the machine or an
/// executable has changed.
finished_run measure_rest(const session_place& place);

/// Returns the histograms for the page, read from the files beside the report file. If one is missing or
/// damaged, prints a warning and returns none; the page is then made without them.
std::vector<reports::histogram> known_histograms(const std::filesystem::path& report_file,
                                                 const reports::report& report);

/// Amount of a report that the terminal shows at its end.
enum class detail : bool { one_screen, every_table };

/// Writes report.json, report.csv and report.html, the terminal's part of them to standard output, and then
/// the warnings to standard error. If something cannot be written, here or in an earlier pass, writes
/// everything else and then throws reports::file_error.
void publish(const finished_run& run, const reports::report& report, const std::filesystem::path& folder,
             detail how);

}  // namespace loopbench::bench
