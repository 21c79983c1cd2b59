// One measuring session, as all commands use it: trials with a journal and a progress bar, then the reports.
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

/// Start of the command; a budget counts from there.
using session_start = std::chrono::steady_clock::time_point;

/// Help text about the method, shown below the options.
inline constexpr const char* how_trials_run =
    "Trials: a trial is a new process. A block is one trial of each contender on each workload, in random\n"
    "order; --seed repeats the order. A ratio compares two trials of one block, which run close together\n"
    "in time. The pairing arranges the trials of a block in time. Most workloads that keep a core busy\n"
    "are interleaved on one core, in slices of 2 ms. Workloads that wait run sequentially. Workloads\n"
    "without system calls also run sequentially, except when all contenders are builds of one program.\n"
    "Concurrent is for Google Benchmark programs that do not support slices. The A/A copy is the baseline\n"
    "measured a second time, under another name: if the two differ, the run is unreliable. Each trial\n"
    "gets environment variables of a random total length, because that length changes the speed. If other\n"
    "work on the machine disturbs a sequential trial, its workload is measured again in that block,\n"
    "within limits. docs/method.md explains all of this.";

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
void pair_third_party_programs(run_plan& plan, const interrupt& stop);

struct finished_run {
    session_record record;
    /// Set if the results of the further passes could not be written; then they are not in the record either.
    std::optional<reports::file_error> unwritten;
};

/// Measures the plan, with the passes after its trials that it asks for. Creates the folder and a new journal
/// in it; the reports of an earlier run there stay until publish() replaces them. After an interrupted run
/// there are no further passes.
finished_run measure(run_plan plan, const session_place& place);

/// Continues the journal in the folder. Throws usage_error if the journal is missing, or if the machine or an
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
