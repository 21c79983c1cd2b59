// loopbench check: compares a build with a baseline file.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/cli/commands.hpp"
#include "bench/harness/cli/commands/check_session.hpp"
#include "bench/harness/cli/commands/gate_exit.hpp"
#include "bench/harness/cli/commands/report_file.hpp"
#include "bench/harness/cli/help.hpp"
#include "bench/harness/cli/option_types.hpp"
#include "bench/harness/experiment/selection.hpp"
#include "bench/harness/gate/check.hpp"
#include "bench/harness/gate/gate_result_formats.hpp"
#include "bench/harness/history/entry.hpp"
#include "reports/base/posix_io.hpp"
#include "reports/model/json.hpp"
#include "reports/render/columns.hpp"

namespace loopbench::bench {

namespace {

using gate_results = std::vector<gate_result>;

expectations narrowed(expectations all, const check_options& options) {
    const auto cells = cells_of(all);
    const auto workloads =
        select(names_in(cells, &cell_name::workload), options.workloads, "workload in the baseline");
    const auto contenders =
        select(names_in(cells, &cell_name::contender), options.contenders, "contender in the baseline");
    const auto left_out = [&](const auto& line) {
        return std::ranges::find(workloads, line.workload) == workloads.end() ||
               std::ranges::find(contenders, line.contender) == contenders.end();
    };
    std::erase_if(all.counts, left_out);
    if (all.times) std::erase_if(all.times->ratios, left_out);
    if (!options.wants(tier::counts)) all.counts.clear();
    if (!options.wants(tier::times) || (all.times && all.times->ratios.empty())) all.times.reset();
    if (all.counts.empty() && !all.times)
        throw usage_error{
            "--tier, --workload and --contender together leave nothing of {} to check; leave out one of them",
            options.against};
    if (options.slack_per_op) all.slack.per_op = *options.slack_per_op;
    if (options.slack_pct) all.slack.pct = *options.slack_pct;
    return all;
}

std::vector<std::string> contenders_of(const expectations& all) {
    auto cells = cells_of(all);
    if (all.times) cells.push_back({{}, all.times->to});
    return names_in(cells, &cell_name::contender);
}

/// Measures the counts of each workload and contender in the baseline file, and compares them with the file.
/// If a count differs by more than the slack, measures the counts of this workload and contender a second
/// time. Thus a single error of a tracer does not fail the gate.
gate_results check_counts_here(const expectations& expected, check_session& session) {
    auto cells = session.count(cells_of(expected, tier::counts), 0);
    std::vector<cell_name> doubtful;
    for (const auto& found : check_counts(expected, cells)) {
        const cell_name cell{found.workload, found.contender};
        const bool differs = found.measured && found.kind != gate_result_kind::holds;
        if (differs && std::ranges::find(doubtful, cell) == doubtful.end()) doubtful.push_back(cell);
    }
    if (doubtful.empty()) return check_counts(expected, cells);
    for (auto& again : session.count(doubtful, 1)) {
        *reports::find_cell(cells, again) = std::move(again);
    }
    return check_counts(expected, cells);
}

gate_results check_times_here(const expected_times& expected, const time_rule& rule, check_session& session) {
    auto found = check_times(expected, session.measure(expected, cells_of({.times = expected}), 0), rule);
    const auto suspects = suspects_of(expected, found);
    if (suspects.ratios.empty()) return found;
    const auto second = session.measure(suspects, cells_of({.times = suspects}), 1);
    return confirm(std::move(found), expected, second, rule);
}

gate_results check_here(const expectations& expected, const check_options& options, const invocation& by) {
    check_session session{options, contenders_of(expected), "the baseline", by};
    gate_results all;
    if (!expected.counts.empty()) all = check_counts_here(expected, session);
    if (expected.times)
        std::ranges::move(check_times_here(*expected.times, options.rule(), session),
                          std::back_inserter(all));
    return all;
}

/// Returns true if both reports contain the same trials, or if one contains some trials of the other. Only
/// runs of loopbench have a seed, so that two of them cannot have the same date and seed.
bool are_of_one_run(const reports::report& one, const reports::report& other) {
    const bool have_seeds = one.plan && other.plan && !one.where.date.empty();
    return content_of(one) == content_of(other) ||
           (have_seeds && one.where.date == other.where.date && one.seed == other.seed);
}

std::vector<reports::report> read_reports(const check_options& options) {
    std::vector<reports::report> all;
    for (const auto& file : options.reports) all.push_back(read_report_file(file));
    if (all.size() == 2 && are_of_one_run(all[0], all[1]))
        throw usage_error{
            "{} and {} come from the same run, but only another run can confirm a slowdown; use a report of "
            "another run",
            options.reports[0], options.reports[1]};
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all.size() == 2 && reports::is_of_shard(all[i]))
            throw usage_error{
                "{} comes from one shard of a run, whose trials might also be in the other report; use "
                "reports of two runs",
                options.reports[i]};
    return all;
}

gate_results check_reports(const expectations& expected, const check_options& options) {
    const auto reports = read_reports(options);
    auto all = check_counts(expected, counts_in(reports.front()));
    if (!expected.times) return all;
    const auto rule = options.rule();
    auto times = check_times(*expected.times, reports.front(), rule);
    const bool doubtful = !suspects_of(*expected.times, times).ratios.empty();
    if (doubtful && reports.size() > 1)
        times = confirm(std::move(times), *expected.times, reports.back(), rule);
    for (auto& found : times)
        if (found.kind == gate_result_kind::suspect)
            found.message +=
                "; only a second report can confirm the slowdown: add one, or check without reports";
    std::ranges::move(times, std::back_inserter(all));
    return all;
}

int check(const check_options& options, const invocation& by) {
    refuse_other_than_baseline(options.against);
    if (options.update) return update_baseline(options, by);
    const auto expected = narrowed(read_baseline(options.against), options);
    const auto found =
        options.reports.empty() ? check_here(expected, options, by) : check_reports(expected, options);
    const auto* const format =
        std::ranges::find(gate_result_formats, options.format, &gate_result_format::name);
    reports::write_standard_output(format->write(found, verdict_line(found)));
    return exit_code_of(found);
}

void add_choice_options(CLI::App& command, check_options& options) {
    add_repeatable(command, "--contender", options.contenders, "GLOB",
                   "only these contenders; may be repeated");
    add_repeatable(command, "--workload", options.workloads, "GLOB", "only these workloads; may be repeated");
    add_contender_dirs(command, options.session.contender_dirs);
    const auto choose = [&options](const std::string& name) {
        options.only = name == "counts" ? tier::counts : tier::times;
    };
    takes_one_of(command.add_option_function<std::string>("--tier", choose,
                                                          "check only this tier of the baseline file (both)"),
                 {"counts", "times"});
}

void add_rule_options(CLI::App& command, check_options& options) {
    constexpr double slack_max = 1e6;
    command
        .add_option(
            "--slack", options.slack_per_op,
            "allow a count to differ from the baseline file by N per operation (the file's value, or 0.02)")
        ->type_name("N")
        ->check(CLI::Range(0.0, slack_max).description(""));
    takes_percent(
        command.add_option("--slack-pct", options.slack_pct,
                           "also allow a difference of this share of the count (the file's value, or 2%)"),
        0, 100);
    add_tolerance(command, options.tolerated_pct);
}

const std::initializer_list<example> check_examples{
    {"loopbench check --against baseline.json --update", "measures, and writes or updates the baseline file"},
    {"loopbench check --against baseline.json", "measures, and exits with 3 if something became worse"},
    {"loopbench check --against baseline.json --tier counts",
     "checks only the counts, which do not depend on load"},
    {"loopbench check --against baseline.json report.json", "checks a report without measuring anything"}};

constexpr const char* how_it_is_checked =
    "Counts, such as system calls per operation, are deterministic. A count that exceeds the baseline\n"
    "file by more than the slack (--slack and --slack-pct together) is a regression if a second count\n"
    "confirms it. Times are ratios to the baseline contender, from paired trials. A slowdown is a\n"
    "regression if a second session confirms it. docs/gate.md explains baseline files.";

}  // namespace

void add_check_command(CLI::App& app, action& chosen) {
    const auto options = std::make_shared<check_options>();
    auto* command = app.add_subcommand(
        "check", "checks a build against a baseline file of counts per operation and ratios of time");
    command->footer(examples_and(check_examples, how_it_is_checked));
    takes_path(command->add_option("--against", options->against, "the baseline file")
                   ->type_name("BASELINE.json")
                   ->required());
    command
        ->add_option("REPORT.json", options->reports,
                     "check this report or journal instead of measuring; a second one confirms slowdowns")
        ->expected(0, 2);
    auto* update =
        command->add_flag("--update", options->update,
                          "rewrite the baseline file, and show the changes so that you can commit them");
    command
        ->add_flag("--quick", options->quick,
                   "with --update: measure the times of a new baseline file at small size")
        ->needs(update);
    command
        ->add_option("--baseline", options->baseline,
                     "with --update: the contender that the ratios in a new baseline file are relative to "
                     "(asio-epoll)")
        ->type_name("NAME")
        ->needs(update);
    std::vector<std::string> names;
    for (const auto& known : gate_result_formats) names.emplace_back(known.name);
    takes_one_of(command->add_option("--format", options->format, "format of the results (text)"), names)
        ->excludes(update)
        ->group(heading::output);
    add_choice_options(*command, *options);
    put_under(*command, heading::what);
    add_rule_options(*command, *options);
    put_under(*command, heading::judging);
    add_session_options(*command, options->session, usual_gate_plan(), "loopbench-check");
    command->callback(
        [options, &chosen] { chosen = [options](const invocation& by) { return check(*options, by); }; });
}

}  // namespace loopbench::bench
