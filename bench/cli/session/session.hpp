// One session of measuring, as all commands have it: trials with a journal and a progress bar, then the
// reports.
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

/// When the command began: a budget counts from there.
using session_start = std::chrono::steady_clock::time_point;

/// What `--help` says of the method, under the options.
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

/// Where a session is made, and for whom.
struct session_place {
    std::filesystem::path folder;
    const invocation& by;
    const interrupt& stop;
    session_start started;
};

/// In which way the trials of each workload are made, and on which cores, once the contenders are described.
/// `asked` is by workload, and gives way to what the plan is asked for of all.
void choose_ways(run_plan& plan, const std::map<std::string, reports::way>& asked = {});

/// The last steps of every plan: its contenders describe themselves, those whose numbers could not be
/// compared are refused, with `other_remedy` (parity.hpp), and the baseline gets its twin. Throws
/// interrupted.
void complete_plan(run_plan& plan, const interrupt& stop, std::string_view other_remedy = {});

/// For a comparison of two programs that the catalog does not know: what keeps a core busy in both of them is
/// measured in both at once, unless the command line says how. A short trial of each benchmark says whether
/// it does. Throws interrupted.
void let_strangers_run_together(run_plan& plan, const interrupt& stop);

struct finished_run {
    session_record record;
    /// Why what the further passes found could not be written; then it is not in the record either.
    std::optional<reports::file_error> unwritten;
};

/// Measures the plan, with the passes that it asks for after its trials, and a new journal in the folder,
/// which is made; the reports of an earlier run there stay until publish() replaces them. An interrupted run
/// has no further passes.
finished_run measure(run_plan plan, const session_place& place);

/// Goes on with the journal in the folder. Throws usage_error when there is none, or when the machine or an
/// executable is not what it was.
finished_run measure_rest(const session_place& place);

/// What a page shows beside the report in the file, by the files beside that. One that somebody took away or
/// damaged is told, and no reason to have no page.
std::vector<reports::histogram> known_histograms(const std::filesystem::path& report_file,
                                                 const reports::report& report);

/// How much of a report is shown at its end.
enum class detail : bool { one_screen, every_table };

/// Writes report.json, report.csv and report.html, what is shown of them to standard output, and the warnings
/// behind it to standard error. Throws reports::file_error for what could not be written, here or before,
/// after everything else has been.
void publish(const finished_run& run, const reports::report& report, const std::filesystem::path& folder,
             detail how);

}  // namespace loopbench::bench
