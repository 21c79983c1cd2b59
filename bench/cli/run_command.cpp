// loopbench run: choose, measure, report.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "bench/catalog.hpp"
#include "bench/cli/commands.hpp"
#include "bench/cli/contenders.hpp"
#include "bench/cli/cpus.hpp"
#include "bench/cli/durations.hpp"
#include "bench/cli/gate_exit.hpp"
#include "bench/cli/paths.hpp"
#include "bench/cli/percents.hpp"
#include "bench/cli/session.hpp"
#include "bench/experiment/journal.hpp"
#include "bench/experiment/selection.hpp"
#include "bench/gate/gate.hpp"
#include "bench/trial/describe.hpp"
#include "bench/trial/parity.hpp"

namespace loopbench::bench {

namespace {

struct run_options {
    bool quick = false, full = false, counts = false, checks = false;
    std::vector<std::string> contenders, workloads, contender_dirs;
    std::optional<std::string> baseline;
    std::optional<std::uint64_t> blocks, seed;
    std::optional<double> budget_s, trial_limit_s, precision_pct, threshold_pct;
    std::optional<int> cpu;
    std::string output = "loopbench-report", resume;
};

/// Sizes and times: those of the mode, unless an option says otherwise.
run_plan sized_plan(const run_options& options) {
    run_plan plan;
    if (options.quick) {
        plan.size = workload_size::smoke;
        plan.min_time_s = 0.01;
        plan.blocks = 10;  // from nine on, an interval leaves the smallest and the largest sample out
        plan.budget = std::chrono::seconds{55};
        plan.trial_limit = std::chrono::seconds{5};
    }
    if (options.full) plan.budget = std::chrono::minutes{30};
    if (options.blocks) plan.blocks = *options.blocks;
    if (options.precision_pct) plan.blocks = blocks_max;
    plan.precision_pct = options.precision_pct;
    plan.threshold_pct = options.threshold_pct.value_or(plan.threshold_pct);
    plan.cpu = options.cpu;
    if (options.budget_s) plan.budget = from_seconds(*options.budget_s);
    if (options.trial_limit_s) plan.trial_limit = from_seconds(*options.trial_limit_s);
    if (options.baseline) plan.baseline = *options.baseline;
    plan.seed = options.seed ? *options.seed : std::random_device{}();
    return plan;
}

template <class predicate>
std::vector<std::string> headline_or_all(std::vector<std::string> names,
                                         const std::vector<std::string>& patterns, bool all,
                                         predicate is_headline) {
    if (patterns.empty() && !all) std::erase_if(names, [&](const auto& name) { return !is_headline(name); });
    return names;
}

void choose_contenders(run_plan& plan, const run_options& options, const std::vector<contender>& found) {
    const auto names = names_of(found);
    if (options.baseline && std::ranges::find(names, *options.baseline) == names.end())
        throw_unknown("contender", *options.baseline, names);
    // Whoever names workloads wants to see them on everything that has them.
    const bool all = !options.quick || !options.workloads.empty();
    const auto candidates = headline_or_all(names, options.contenders, all, is_headline_contender);
    const auto chosen = select(candidates, options.contenders, "contender");
    std::ranges::copy_if(found, std::back_inserter(plan.contenders), [&](const contender& who) {
        return std::ranges::find(chosen, who.name) != chosen.end();
    });
}

/// A run measures what the chosen contenders have. A pattern may also name what only others have, who are
/// asked then, and the report says that it is lacking.
std::vector<std::string> workloads_to_choose_from(const run_plan& plan, const run_options& options,
                                                  std::vector<contender> found, int stop_fd) {
    auto names = workloads_of(plan.contenders);
    const auto is_met = [&](const std::string& pattern) {
        return std::ranges::any_of(names, [&](const auto& name) { return matches(pattern, name); });
    };
    if (std::ranges::all_of(options.workloads, is_met)) return names;
    for (auto& who : found) list_workloads(who, plan.size, probe_limit, stop_fd);
    return workloads_of(found);
}

void choose_workloads(run_plan& plan, const run_options& options, const std::vector<contender>& found,
                      int stop_fd) {
    const auto names = workloads_to_choose_from(plan, options, found, stop_fd);
    if (names.empty()) {
        const auto& who = plan.contenders.front();
        throw std::runtime_error{
            fmt::format("none of the chosen contenders has workloads: {} {}; run it with "
                        "--benchmark_list_tests=true to see why",
                        who.name, who.problem)};
    }
    plan.workloads = select(headline_or_all(names, options.workloads, options.full, is_headline_workload),
                            options.workloads, "workload");
}

int exit_code_of(const reports::report& report, const interrupt& stop) {
    if (!report.complete || stop.requested()) return exit_interrupted;
    return exit_code_of(judge_session(report).outcome);
}

int run_command(const run_options& options, const std::vector<std::string>& command) {
    const auto started = session_start::clock::now();
    const interrupt stop;
    refuse_folder_in_use(options.output);
    auto plan = sized_plan(options);
    const auto found = contenders_in(options.contender_dirs);
    choose_contenders(plan, options, found);
    for (auto& who : plan.contenders) list_workloads(who, plan.size, probe_limit, stop.fd());
    if (stop.requested()) return exit_interrupted;
    choose_workloads(plan, options, found, stop.fd());
    if (stop.requested()) return exit_interrupted;
    plan.described = describe_all(plan.contenders, probe_limit, stop.fd());
    if (stop.requested()) return exit_interrupted;
    refuse_mixed_builds(plan.described, ", or choose those that are with --contender");
    add_twin(plan);

    const auto run = measure(plan, command, options.output, stop, started,
                             {.counts = options.counts, .checks = options.checks});
    publish(run, options.output);
    return exit_code_of(run.report, stop);
}

int resume_command(const std::filesystem::path& folder) {
    const auto started = session_start::clock::now();
    const interrupt stop;
    const auto run = measure_rest(folder, stop, started);
    publish(run, folder);
    const bool is_gate = run.plan.tolerated_pct && run.report.complete && !stop.requested();
    return is_gate ? conclude(judge_gate(run.report, *run.plan.tolerated_pct))
                   : exit_code_of(run.report, stop);
}

void add_choice_options(CLI::App& command, run_options& options) {
    auto* quick = command.add_flag(
        "--quick", options.quick,
        "the headline at smoke size, in at most a minute; named workloads on all contenders");
    command
        .add_flag("--full", options.full, "instead of that, everything at real size, in at most half an hour")
        ->excludes(quick);
    const auto repeatable = [&](const char* name, std::vector<std::string>& values, const char* type,
                                const char* text) {
        command.add_option(name, values, text)->type_name(type)->allow_extra_args(false);
    };
    repeatable("--contender", options.contenders, "GLOB", "only these contenders; may be repeated");
    repeatable("--workload", options.workloads, "GLOB",
               "only these workloads (a front will do); may be repeated");
    repeatable("--contender-dir", options.contender_dirs, "DIR", "a further folder with contenders");
    command.add_option("--baseline", options.baseline, "the contender that ratios are taken to (asio-epoll)")
        ->type_name("NAME");
}

}  // namespace

void add_run_command(CLI::App& app, action& chosen) {
    const auto options = std::make_shared<run_options>();
    auto* command = app.add_subcommand("run", "measures contenders and writes the reports");
    command->footer(how_trials_run);
    add_choice_options(*command, *options);
    command->add_flag("--counts", options->counts,
                      "count system calls, waits and allocations per operation, in a pass of its own");
    command->add_flag(
        "--checks", options->checks,
        "what recording latencies costs, and that twice the work takes twice the time, in a pass of "
        "its own; 4 to 25 s for each cell");
    auto* blocks = command->add_option("--blocks", options->blocks, "trials of each contender and workload")
                       ->type_name("N")
                       ->check(CLI::Range(std::uint64_t{1}, blocks_max).description(""));
    auto* budget =
        command->add_option("--budget", options->budget_s, "stop before a block that would end later");
    takes_duration(budget);
    auto* precision = command->add_option(
        "--precision", options->precision_pct,
        "as many blocks, instead of --blocks, as ratios of time to within PCT need; with --budget");
    takes_percent(precision->excludes(blocks)->needs(budget), 0.01, 50);
    takes_percent(command->add_option("--threshold", options->threshold_pct,
                                      "differences of less than PCT are none (1%)"),
                  0, 50);
    takes_cpu(command->add_option("--pin", options->cpu, "run the trials on this CPU alone"));
    takes_duration(
        command->add_option("--trial-limit", options->trial_limit_s, "longest trial (60s; 5s with --quick)"));
    command->add_option("--seed", options->seed, "of the order of trials")
        ->type_name("N")
        ->check(CLI::Range(std::uint64_t{0}, largest_seed).description(""));
    takes_path(
        command->add_option("-o,--output", options->output, "the folder to write to (loopbench-report)")
            ->type_name("DIR"));
    auto* resume =
        command
            ->add_option("--resume", options->resume,
                         "go on with the run or comparison in DIR where it stopped; without any other option")
            ->type_name("DIR");
    takes_path(resume);
    for (auto* other : command->get_options())
        if (other != resume && other != command->get_help_ptr()) resume->excludes(other);
    command->callback([options, &chosen] {
        chosen = [options](const auto& command_line) {
            return options->resume.empty() ? run_command(*options, command_line)
                                           : resume_command(options->resume);
        };
    });
}

}  // namespace loopbench::bench
