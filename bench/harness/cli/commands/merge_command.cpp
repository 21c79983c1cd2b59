// loopbench merge: merges the shards of a run, and writes the reports of the whole run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "bench/harness/cli/commands.hpp"
#include "bench/harness/cli/commands/gate_exit.hpp"
#include "bench/harness/cli/help.hpp"
#include "bench/harness/cli/option_types.hpp"
#include "bench/harness/cli/session/session.hpp"
#include "bench/harness/cli/terminal.hpp"
#include "bench/harness/experiment/histograms.hpp"
#include "bench/harness/experiment/journal.hpp"
#include "bench/harness/experiment/merge.hpp"
#include "bench/harness/gate/judgement.hpp"
#include "bench/harness/summary/summary.hpp"
#include "bench/harness/trial/usage_error.hpp"
#include "reports/base/atomic_file.hpp"

namespace loopbench::bench {

namespace {

namespace fs = std::filesystem;

struct merge_options {
    std::vector<std::string> shards;
    std::string output = "loopbench-report";
    bool partial = false, verbose = false;
};

std::vector<shard_journal> read_shards(const merge_options& options) {
    std::vector<shard_journal> all;
    for (const auto& folder : options.shards) {
        std::error_code not_there;
        if (fs::equivalent(folder, options.output, not_there))
            throw usage_error{"the output folder {} is one of the shards; use another folder with -o",
                              options.output};
        all.push_back(read_shard(folder));
    }
    return all;
}

/// Returns the folders of the shards that contain histograms. Prints a warning for each other shard, because
/// the user might have copied only the shard's journal to this machine.
std::vector<fs::path> folders_of_histograms(const merge_options& options) {
    std::vector<fs::path> all;
    for (const fs::path folder : options.shards)
        if (has_histograms_beside(folder / "journal.jsonl"))
            all.push_back(folder);
        else
            tell(
                "loopbench: warning: {} has no histograms.jsonl, so the histograms in the report do not "
                "contain "
                "this shard\n",
                folder.native());
    return all;
}

std::string counts_in(const merge_options& options, const std::vector<shard_journal>& shards) {
    for (std::size_t i = 0; i < shards.size(); ++i) {
        const auto file = fs::path{options.shards[i]} / "counts.json";
        if (shards[i].record.plan.part->number == 1 && fs::exists(file))
            return reports::read_file(file.native());
    }
    return {};
}

void write_record(const merge_options& options, const std::string& journal, const std::string& counts) {
    const fs::path folder{options.output};
    reports::prepare_output_folder(folder);
    refuse_folder_in_use(folder);
    std::vector<reports::new_file> files{
        {folder / "histograms.jsonl", {}, joined_histograms(folders_of_histograms(options))},
        {folder / "journal.jsonl", journal}};
    if (!counts.empty()) files.push_back({folder / "counts.json", counts});
    reports::write_files_atomically(files);
    std::error_code was_none;
    // A counts.json that is still in the folder belongs to an earlier run. Therefore it is removed.
    if (counts.empty()) fs::remove(folder / "counts.json", was_none);
}

int exit_code_of(const reports::report& report) {
    auto found = judge_session(report);
    if (!report.complete) found.push_back(about_session(gate_result_kind::unclear, "shards are missing"));
    return found.empty() ? exit_ok : exit_code_of(found);
}

int merge(const merge_options& options, const invocation& by) {
    auto shards = read_shards(options);
    const auto counts = counts_in(options, shards);
    const auto text =
        merged_journal(std::move(shards), by.words,
                       options.partial ? missing_shards_are::allowed : missing_shards_are::refused);
    if (text.size() > journal_bytes_max)
        throw usage_error{
            "the merged journal would have {} bytes, but the limit is {}; use fewer blocks or workloads",
            text.size(), journal_bytes_max};
    const finished_run run{read_journal(text, "the merged journal"), {}};
    write_record(options, text, counts);
    const auto report = report_of(run.record);
    publish(run, report, options.output, options.verbose ? detail::every_table : detail::one_screen);
    return exit_code_of(report);
}

const std::initializer_list<example> merge_examples{
    {"loopbench run --shard 1/2 --blocks 20 --seed 7 -o shard1",
     "runs half of the blocks, on the first machine"},
    {"loopbench run --shard 2/2 --blocks 20 --seed 7 -o shard2",
     "runs the other half, on the second machine"},
    {"loopbench merge shard1 shard2 -o merged", "combines both halves into one run"}};

constexpr const char* what_is_merged =
    "All shards must have the same options, seed and builds; otherwise merge names the difference and\n"
    "writes nothing. If the shards come from several machines, the report says how much the machines\n"
    "differ, and the intervals include these differences. With --partial, the exit code is 4 if shards\n"
    "are missing or incomplete. docs/clusters.md has files for Slurm, Kubernetes and GNU parallel.";

}  // namespace

void add_merge_command(CLI::App& app, action& chosen) {
    const auto options = std::make_shared<merge_options>();
    auto* command =
        app.add_subcommand("merge", "merges the shards of a run into one run, and writes its reports");
    command->footer(examples_and(merge_examples, what_is_merged));
    command->add_option("DIR", options->shards, "the output folders of the shards")->required();
    takes_path(command
                   ->add_option("-o,--output", options->output,
                                fmt::format("folder for journal and reports ({})", options->output))
                   ->type_name("DIR"));
    command
        ->add_flag("--partial", options->partial,
                   "merge even if shards are missing or incomplete; the report then contains a warning")
        ->group("What to merge");
    command->add_flag("--verbose", options->verbose, "show all tables and warnings instead of one screen");
    put_under(*command, heading::output);
    command->callback(
        [options, &chosen] { chosen = [options](const invocation& by) { return merge(*options, by); }; });
}

}  // namespace loopbench::bench
