// loopbench compare: two builds of a benchmark program, or two reports.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "bench/cli/commands.hpp"
#include "bench/cli/contenders.hpp"
#include "bench/cli/cpus.hpp"
#include "bench/cli/durations.hpp"
#include "bench/cli/gate_exit.hpp"
#include "bench/cli/messages.hpp"
#include "bench/cli/paths.hpp"
#include "bench/cli/percents.hpp"
#include "bench/cli/session.hpp"
#include "bench/experiment/journal.hpp"
#include "bench/experiment/journal_read.hpp"
#include "bench/experiment/selection.hpp"
#include "bench/gate/compare_reports.hpp"
#include "bench/gate/conditions.hpp"
#include "bench/gate/gate.hpp"
#include "bench/summary/summary.hpp"
#include "bench/trial/describe.hpp"
#include "bench/trial/parity.hpp"
#include "reports/posix_io.hpp"
#include "reports/table.hpp"

namespace loopbench::bench {

namespace {

namespace fs = std::filesystem;

struct compare_options {
    std::string base, next, output = "loopbench-compare";
    std::vector<std::string> workloads;
    std::vector<std::string> of_measuring;  // the options on the command line that say how to measure
    std::uint64_t blocks = 20;
    std::optional<std::uint64_t> seed;
    std::optional<double> budget_s, trial_limit_s;
    std::optional<int> cpu;
    double min_time_s = 0.1, threshold_pct = 1, tolerated_pct = 5;
};

bool is_report(const std::string& file) {
    if (!fs::is_regular_file(file))
        throw usage_error{fmt::format("{} is no file; name two reports, or two benchmark executables", file)};
    char first = 0;
    std::ifstream{file} >> first;
    return first == '{';  // of a journal, too
}

/// Called by names of the same length, so that neither side's stack is placed differently (see add_twin).
contender side(const char* name, const std::string& file, const run_plan& plan, const interrupt& stop) {
    contender who;
    who.name = name;
    who.path = fs::absolute(file);
    who.called = fmt::format("loopbench-{}", name);
    list_workloads(who, plan.size, plan.trial_limit, stop.fd());
    if (!who.problem.empty() && !stop.requested())
        throw usage_error{
            fmt::format("{} {}; it has to be a report or a Google Benchmark executable", file, who.problem)};
    return who;
}

/// Nothing when the user stopped it.
std::optional<run_plan> plan_for(const compare_options& options, const interrupt& stop) {
    run_plan plan;
    plan.min_time_s = options.min_time_s;
    plan.blocks = options.blocks;
    plan.threshold_pct = options.threshold_pct;
    plan.how = correction::holm;
    plan.tolerated_pct = options.tolerated_pct;
    plan.cpu = options.cpu;
    if (options.budget_s) plan.budget = from_seconds(*options.budget_s);
    if (options.trial_limit_s) plan.trial_limit = from_seconds(*options.trial_limit_s);
    plan.seed = options.seed ? *options.seed : std::random_device{}();
    plan.baseline = "base";
    plan.contenders = {side("base", options.base, plan, stop), side("next", options.next, plan, stop)};
    if (stop.requested()) return std::nullopt;
    plan.workloads = select(workloads_of(plan.contenders), options.workloads, "benchmark");
    plan.described = describe_all(plan.contenders, probe_limit, stop.fd());
    if (stop.requested()) return std::nullopt;
    refuse_mixed_builds(plan.described);
    add_twin(plan);
    return plan;
}

reports::report read_report(const std::string& file) {
    return read_report_or_journal(reports::read_file(file, journal_bytes_max), file);
}

/// A run that was interrupted may have stopped before what it would have found.
gate_result doubting(gate_result found, const std::map<std::string, bool>& complete_by_file) {
    for (const auto& [file, complete] : complete_by_file) {
        if (complete) continue;
        if (found.outcome == gate_outcome::pass) found.outcome = gate_outcome::inconclusive;
        found.reasons.push_back(fmt::format(
            "{} is of a run that was interrupted; finish it with `loopbench run --resume`", file));
    }
    return found;
}

/// Leaves out what none of the patterns matches.
void choose(reports::report& then, reports::report& now, const std::vector<std::string>& patterns) {
    std::vector<std::string> all;
    for (const auto* report : {&then, &now})
        for (const auto& item : report->results) all.push_back(item.workload);
    const auto chosen = select(all, patterns, "benchmark of the reports");
    for (auto* report : {&then, &now})
        std::erase_if(report->results, [&](const auto& item) {
            return std::ranges::find(chosen, item.workload) == chosen.end();
        });
}

int compare_two_reports(const compare_options& options) {
    if (!options.of_measuring.empty())
        throw usage_error{fmt::format("two reports are compared without measuring anything: leave {} out",
                                      fmt::join(options.of_measuring, " and "))};
    auto then = read_report(options.base), now = read_report(options.next);
    choose(then, now, options.workloads);
    refuse_other_size(then, options.base, now, options.next);
    const auto report = compare_reports(then, now, options.threshold_pct);
    for (const auto& item : report.warnings)
        tell(fmt::format("loopbench: warning: {}; {}\n", item.message, item.remedy));
    reports::write_standard_output(reports::write_table(report));
    return conclude(doubting(judge_gate(report, options.tolerated_pct),
                             {{options.base, then.complete}, {options.next, now.complete}}));
}

int compare(const compare_options& options, const std::vector<std::string>& command) {
    const auto started = session_start::clock::now();
    const bool base_is_report = is_report(options.base), next_is_report = is_report(options.next);
    if (base_is_report != next_is_report)
        throw usage_error{
            "one is a report and the other is not; name two reports, or two benchmark executables"};
    if (base_is_report) return compare_two_reports(options);
    refuse_folder_in_use(options.output);
    const interrupt stop;
    const auto plan = plan_for(options, stop);
    if (!plan) return exit_interrupted;
    const auto run = measure(*plan, command, options.output, stop, started);
    publish(run, options.output);
    return run.report.complete ? conclude(judge_gate(run.report, options.tolerated_pct)) : exit_interrupted;
}

}  // namespace

void add_compare_command(CLI::App& app, action& chosen) {
    const auto options = std::make_shared<compare_options>();
    auto* command =
        app.add_subcommand("compare", "two builds of a benchmark program against each other, or two reports");
    command->footer(how_trials_run);
    command->add_option("BASE", options->base, "the old report, or the old Google Benchmark executable")
        ->required();
    command->add_option("NEW", options->next, "the new one")->required();
    command->add_option("--workload", options->workloads, "only these benchmarks; may be repeated")
        ->type_name("GLOB")
        ->allow_extra_args(false);
    command->add_option("--blocks", options->blocks, "trials of each benchmark and build (20)")
        ->type_name("N")
        ->check(CLI::Range(std::uint64_t{1}, blocks_max).description(""));
    takes_duration(
        command->add_option("--budget", options->budget_s, "stop before a block that would end later"));
    takes_duration(
        command->add_option("--min-time", options->min_time_s, "how long a trial measures (100ms)"));
    takes_duration(
        command->add_option("--trial-limit", options->trial_limit_s, "longest trial of one benchmark (60s)"));
    takes_cpu(command->add_option("--pin", options->cpu, "run the trials on this CPU alone"));
    command->add_option("--seed", options->seed, "of the order of trials")
        ->type_name("N")
        ->check(CLI::Range(std::uint64_t{0}, largest_seed).description(""));
    takes_percent(command->add_option("--threshold", options->threshold_pct,
                                      "differences of less than PCT are none (1%)"),
                  0, 50);
    takes_percent(command->add_option("--tolerate", options->tolerated_pct,
                                      "exit with 4 unless slowdowns of more than PCT are ruled out (5%)"),
                  0.1, 50);
    takes_path(
        command->add_option("-o,--output", options->output, "the folder to write to (loopbench-compare)")
            ->type_name("DIR"));
    command->callback([options, &chosen, command] {
        for (const auto* name :
             {"--blocks", "--budget", "--min-time", "--trial-limit", "--pin", "--seed", "--output"})
            if (command->get_option(name)->count() > 0) options->of_measuring.emplace_back(name);
        chosen = [options](const auto& command_line) { return compare(*options, command_line); };
    });
}

}  // namespace loopbench::bench
