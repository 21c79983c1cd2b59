// loopbench run: chooses contenders and workloads, measures them and writes reports.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "bench/catalog/explanations.hpp"
#include "bench/catalog/workload_table.hpp"
#include "bench/harness/cli/commands.hpp"
#include "bench/harness/cli/commands/gate_exit.hpp"
#include "bench/harness/cli/commands/keep_report.hpp"
#include "bench/harness/cli/help.hpp"
#include "bench/harness/cli/option_types.hpp"
#include "bench/harness/cli/session/contenders.hpp"
#include "bench/harness/cli/session/session.hpp"
#include "bench/harness/cli/session/session_options.hpp"
#include "bench/harness/cli/terminal.hpp"
#include "bench/harness/experiment/journal.hpp"
#include "bench/harness/experiment/selection.hpp"
#include "bench/harness/experiment/stopping.hpp"
#include "bench/harness/gate/judgement.hpp"
#include "bench/harness/history/store.hpp"
#include "bench/harness/machine/address.hpp"
#include "bench/harness/summary/summary.hpp"
#include "bench/harness/summary/warnings.hpp"

namespace loopbench::bench {

namespace {

struct run_options {
    bool quick = false, full = false, counts = false, checks = false, verbose = false;
    std::vector<std::string> contenders, workloads;
    std::optional<std::string> baseline;
    std::string resume;
    std::optional<std::string> history;  // "" is the default history
    std::optional<shard> part;
    std::optional<std::string> serve_on, generator_on;
    session_options session;
};

run_plan sized_plan(const run_options& options) {
    run_plan usual;
    if (options.quick) {
        usual.size = workload_size::small;
        usual.min_time_s = 0.01;
        usual.budget = std::chrono::seconds{55};
        usual.trial_limit = std::chrono::seconds{5};
    }
    if (options.full) usual.budget = std::chrono::minutes{30};
    auto plan = sized_plan(std::move(usual), options.session);
    if (options.baseline) plan.baseline = *options.baseline;
    plan.counts = options.counts;
    plan.checks = options.checks;
    plan.part = options.part;
    return plan;
}

void plan_enough_blocks(run_plan& plan, const run_options& options) {
    if (!options.session.blocks && !options.session.precision_pct)
        plan.blocks = std::max(plan.blocks, blocks_for_any_verdict(plan));
    refuse_impossible_part(plan);
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
    refuse_not_executable(options.contenders, options.session.contender_dirs);
    refuse_not_built(options.contenders, names);
    if (options.baseline) refuse_not_built({*options.baseline}, names);
    if (options.baseline && std::ranges::find(names, *options.baseline) == names.end())
        throw_unknown("contender", *options.baseline, names);
    // --quick measures only the headline contenders. But if the user names workloads, it measures all
    // contenders that have these workloads.
    const bool all = !options.quick || !options.workloads.empty();
    const auto candidates = headline_or_all(names, options.contenders, all, is_headline_contender);
    if (candidates.empty())
        throw usage_error{
            "--quick measures the headline contenders, but none of them is built; build them with `make "
            "bench`, or choose others with --contender ({})",
            fmt::join(names, ", ")};
    const auto chosen = select(candidates, options.contenders, "contender");
    std::ranges::copy_if(found, std::back_inserter(plan.contenders), [&](const contender& who) {
        return std::ranges::find(chosen, who.name) != chosen.end();
    });
}

bool is_for_threads(const std::string& name) {
    const auto* const shape = find_shape(name);
    return shape != nullptr && shape->threads > 0;
}

/// Leaves out the workloads for several threads, unless there are no others. The contenders that have them
/// have no others, so a table with both kinds would be half empty.
std::vector<std::string> of_one_kind(std::vector<std::string> names) {
    if (!std::ranges::all_of(names, is_for_threads)) std::erase_if(names, is_for_threads);
    return names;
}

std::vector<std::string> workloads_to_choose_from(const run_plan& plan, const run_options& options,
                                                  std::vector<contender> found, const interrupt& stop,
                                                  session_start started) {
    auto names = workloads_of(plan.contenders);
    const auto is_met = [&](const std::string& pattern) {
        return std::ranges::any_of(names, [&](const auto& name) { return matches(pattern, name); });
    };
    if (options.workloads.empty()) return of_one_kind(std::move(names));
    if (std::ranges::all_of(options.workloads, is_met)) return names;
    for (auto& who : found) list_within_budget(who, plan.size, plan.budget, started, stop.fd());
    stop.throw_if_requested();
    return workloads_of(found);
}

/// Throws usage_error if a pattern matches a workload of the suite, but no workload of the built contenders.
void refuse_workloads_that_are_not_built(const std::vector<std::string>& patterns,
                                         const std::vector<std::string>& candidates) {
    std::vector<std::string_view> known;
    std::ranges::transform(workload_table(), std::back_inserter(known), &workload_shape::name);
    if (const auto found = only_known(patterns, candidates, known))
        throw usage_error{"no built contender has a workload that --workload chooses, such as {}; {}", *found,
                          remedy_for_not_built};
}

void choose_workloads(run_plan& plan, const run_options& options, const std::vector<contender>& found,
                      const interrupt& stop, session_start started) {
    const auto names = workloads_to_choose_from(plan, options, found, stop, started);
    if (names.empty()) {
        const auto& who = plan.contenders.front();
        throw std::runtime_error{
            fmt::format("none of the chosen contenders has workloads: {} {}; run the contender with "
                        "--benchmark_list_tests=true to see the reason",
                        who.name, who.problem)};
    }
    const auto candidates = headline_or_all(names, options.workloads, options.full, is_headline_workload);
    if (candidates.empty())
        throw usage_error{
            "the chosen contenders have none of the headline workloads; measure all their workloads with "
            "--full, or choose workloads with --workload ({})",
            first_names(names)};
    refuse_workloads_that_are_not_built(options.workloads, candidates);
    plan.workloads = select(candidates, options.workloads, "workload");
}

/// Leaves out the contenders that have none of the chosen workloads, unless they were chosen by name. If all
/// workloads are for several threads, the default baseline is the contender that Asio's users know.
void suit_contenders_to_workloads(run_plan& plan, const run_options& options) {
    if (options.contenders.empty())
        std::erase_if(plan.contenders, [&](const contender& who) {
            return who.problem.empty() && std::ranges::none_of(plan.workloads, [&](const auto& name) {
                       return find_benchmark(who, name) != nullptr;
                   });
        });
    if (!options.baseline && std::ranges::all_of(plan.workloads, is_for_threads))
        plan.baseline = "asio-shared";
}

/// Throws usage_error. `why` is the reason why servers cannot listen on `address`. --serve-on has no default,
/// because a default such as 0.0.0.0 would let servers listen on all addresses of this machine, although the
/// user did not ask for this.
void refuse_to_serve_on(const std::string& address, const std::string& why) {
    throw usage_error{
        "--serve-on {}: {}; use one address of this machine, in digits (`ip address` lists them)", address,
        why};
}

void check_that_it_can_be_served_on(const std::string& address) {
    if (address == "0.0.0.0" || address == "::")
        refuse_to_serve_on(address, "the address stands for all addresses, and no client can connect to it");
    if (const auto why = why_no_server_on(address)) refuse_to_serve_on(address, *why);
}

void put_client_on_other_machine(run_plan& plan, const run_options& options) {
    if (!options.generator_on) return;
    check_that_it_can_be_served_on(*options.serve_on);
    const auto has_generator = [](const std::string& name) { return pace_of(name) != pace::its_own; };
    if (std::ranges::none_of(plan.workloads, has_generator))
        throw usage_error{
            "--generator-on is only for workloads with a load generator, but none is chosen; add --workload "
            "serve/open_loop"};
    for (auto& who : plan.contenders) {
        who.environment[serve_on_variable] = *options.serve_on;
        who.environment[generator_on_variable] = *options.generator_on;
    }
}

/// Returns the exit code of a run. The program that starts the shards of a run resumes each shard whose exit
/// code shows that it is not complete. Therefore the exit code of a shard does not depend on its results;
/// `loopbench merge` judges the results of all shards.
int exit_code_of(const reports::report& report, const run_plan& plan, const interrupt& stop) {
    if (!report.complete || stop.requested()) return exit_interrupted;
    if (plan.part) return exit_ok;
    const auto found = judge_session(report);
    return found.empty() ? exit_ok : exit_code_of(found);
}

detail detail_of(const run_options& options) {
    return options.verbose ? detail::every_table : detail::one_screen;
}

int run_command(const run_options& options, const invocation& called) {
    const auto started = session_start::clock::now();
    const interrupt stop;
    auto by = called;
    std::ranges::transform(by.words, by.words.begin(), without_password_in);
    const auto history = options.history ? history_place(*options.history) : std::string{};
    if (options.history) prepare_history(history);
    const std::filesystem::path folder{options.session.output};
    refuse_folder_in_use(folder);
    auto plan = sized_plan(options);
    const auto found = contenders_in(options.session.contender_dirs);
    choose_contenders(plan, options, found);
    report_inherited_flags();
    for (auto& who : plan.contenders) list_within_budget(who, plan.size, plan.budget, started, stop.fd());
    stop.throw_if_requested();
    choose_workloads(plan, options, found, stop, started);
    suit_contenders_to_workloads(plan, options);
    plan_enough_blocks(plan, options);
    put_client_on_other_machine(plan, options);
    // Warns of an unmeasured baseline before the first trial, so that the user can stop the run early.
    if (!plan.baseline_index()) {
        tell(baseline_not_measured(plan.baseline));
    }
    complete_plan(plan, stop, started, ", or choose contenders of one build type with --contender");
    const auto run = measure(std::move(plan), {folder, by, stop, started});
    const auto report = report_of(run.record);
    publish(run, report, folder, detail_of(options));
    if (options.history) keep_report(report, history);
    return exit_code_of(report, run.record.plan, stop);
}

int resume_command(const run_options& options, const invocation& by) {
    const std::filesystem::path folder{options.resume};
    const interrupt stop;
    const auto run = measure_rest({folder, by, stop, session_start::clock::now()});
    const auto report = judged_report_of(run.record);
    const auto& tolerated_pct = run.record.plan.tolerated_pct;
    publish(run, report, folder, tolerated_pct ? detail::every_table : detail_of(options));
    const bool is_gate = tolerated_pct && report.complete && !stop.requested();
    return is_gate ? conclude(judge_gate(report, *tolerated_pct))
                   : exit_code_of(report, run.record.plan, stop);
}

std::optional<shard> shard_in(const std::string& text) {
    const auto slash = text.find('/');
    shard part;
    if (slash == std::string::npos || !CLI::detail::lexical_cast(text.substr(0, slash), part.number) ||
        !CLI::detail::lexical_cast(text.substr(slash + 1), part.of) || part.number < 1 ||
        part.number > part.of || part.of > blocks_max)
        return std::nullopt;
    return part;
}

void add_shard_option(CLI::App& command, run_options& options) {
    const auto take = [&options](const std::string& text) {
        options.part = shard_in(text);
        if (!options.part)
            throw CLI::ValidationError{
                "--shard",
                fmt::format("'{}' is not a valid shard; expected I/N with 1 <= I <= N, for example 2/4",
                            text)};
    };
    command
        .add_option_function<std::string>(
            "--shard", take,
            "run only every Nth block, from block I on, so that N machines can share a run; needs --seed and "
            "--output; --budget limits each shard. All other options must be the same on all machines. "
            "`loopbench merge` combines the shards")
        ->type_name("I/N")
        ->needs(command.get_option("--seed"))
        ->needs(command.get_option("--output"))
        ->excludes(command.get_option("--history"));
}

void add_client_options(CLI::App& command, run_options& options) {
    auto* there =
        command
            .add_option("--generator-on", options.generator_on,
                        "for the workload serve/open_loop: run its client, the load generator, on another "
                        "machine. COMMAND starts a program there, for example 'ssh HOST'. The client must be "
                        "installed under the same path on both machines")
            ->type_name("COMMAND");
    auto* here = command
                     .add_option("--serve-on", options.serve_on,
                                 "with --generator-on: the address of this machine on which the server "
                                 "listens; it listens on no other address")
                     ->type_name("ADDRESS")
                     ->needs(there);
    there->needs(here);
}

void add_choice_options(CLI::App& command, run_options& options) {
    auto* quick = command.add_flag(
        "--quick", options.quick,
        "measure the headline contenders on the headline workloads (see Terms), at small sizes, in at "
        "most a minute. With --workload, measure the chosen workloads on all contenders, also at small sizes "
        "and in at most a minute");
    command
        .add_flag("--full", options.full,
                  "measure all workloads on all contenders at full size, in at most half an hour; for those "
                  "with several threads, add --workload threads")
        ->excludes(quick);
    add_repeatable(command, "--contender", options.contenders, "GLOB",
                   "measure only these contenders; may be repeated");
    add_repeatable(command, "--workload", options.workloads, "GLOB",
                   "measure only these workloads; the beginning of a name is enough; may be repeated");
    add_contender_dirs(command, options.session.contender_dirs);
    command
        .add_option("--baseline", options.baseline,
                    "the contender that all ratios are relative to (asio-epoll, and asio-shared for "
                    "workloads with several threads)")
        ->type_name("NAME");
}

constexpr const char* usual_selection =
    "With neither --quick nor --full, a run measures the headline workloads on all contenders, at full\n"
    "size. It has no time limit, and ends after 10 blocks, or later if the verdicts need more.\n"
    "\n";

const std::initializer_list<example> run_examples{
    {"loopbench run --quick",
     "measures the headline workloads on the headline contenders in at most a minute"},
    {"loopbench run --workload echo --contender 'loop-*' --contender asio-epoll",
     "measures all echo workloads on the loops of this project and on the baseline"},
    {"loopbench run --workload echo/rtt/tcp --precision 1% --budget 5min",
     "runs until every ratio of `time` is known to within 1 %, for at most 5 minutes"},
    {"loopbench run --resume loopbench-report", "continues a run that was interrupted or killed"}};

}  // namespace

void add_run_command(CLI::App& app, action& chosen) {
    const auto options = std::make_shared<run_options>();
    auto* command = app.add_subcommand("run", "measures contenders and writes the reports");
    command->footer(examples_and(run_examples, std::string{usual_selection} + how_trials_run));
    add_choice_options(*command, *options);
    command->add_flag(
        "--counts", options->counts,
        "after the trials, also count system calls, waits, allocations and context switches per "
        "operation");
    command->add_flag(
        "--checks", options->checks,
        "after the trials, also check two things: the cost of recording latencies, and whether a doubled "
        "number of operations takes double the time. This adds 4 to 25 s for each contender and workload");
    add_session_options(*command, options->session, run_plan{}, "loopbench-report");
    command
        ->add_option("--history", options->history,
                     "also add the report to a history: a file or "
                     "postgresql://USER@HOST/DATABASE; without URL, the default history "
                     "(LOOPBENCH_HISTORY, or history.db in the user's data folder)")
        ->type_name("[URL]")
        ->expected(0, 1);
    put_under(*command, heading::output);
    add_shard_option(*command, *options);
    add_client_options(*command, *options);
    put_under(*command, heading::trials);
    const auto* verbose = command->add_flag("--verbose", options->verbose,
                                            "show all tables and warnings instead of one screen");
    auto* resume =
        command
            ->add_option("--resume", options->resume,
                         "continue the run or comparison in DIR that was interrupted or killed; no other "
                         "option except --verbose is allowed")
            ->type_name("DIR");
    resume->group(heading::what);
    put_under(*command, heading::output);
    takes_path(resume);
    for (auto* other : command->get_options())
        if (other != resume && other != verbose && other != command->get_help_ptr()) resume->excludes(other);
    command->callback([options, &chosen] {
        chosen = [options](const invocation& by) {
            return options->resume.empty() ? run_command(*options, by) : resume_command(*options, by);
        };
    });
}

}  // namespace loopbench::bench
