// loopbench compare: two builds of a benchmark program, or two reports.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "bench/cli/commands.hpp"
#include "bench/cli/contenders.hpp"
#include "bench/cli/durations.hpp"
#include "bench/cli/gate_exit.hpp"
#include "bench/cli/messages.hpp"
#include "bench/cli/paths.hpp"
#include "bench/cli/percents.hpp"
#include "bench/cli/session.hpp"
#include "bench/engine/compare_reports.hpp"
#include "bench/engine/gate.hpp"
#include "bench/engine/selection.hpp"
#include "reports/json.hpp"
#include "reports/posix_io.hpp"
#include "reports/table.hpp"

namespace loopbench::bench {

namespace {

namespace fs = std::filesystem;

struct compare_options {
    std::string base, next, output = "loopbench-compare";
    std::vector<std::string> workloads;
    std::uint64_t blocks = 20;
    std::optional<std::uint64_t> seed;
    std::optional<double> budget_s;
    double min_time_s = 0.1, threshold_pct = 1, tolerated_pct = 5;
};

bool is_report(const std::string& file) {
    if (!fs::is_regular_file(file))
        throw usage_error{fmt::format("{} is no file; name two reports, or two benchmark executables", file)};
    char first = 0;
    std::ifstream{file} >> first;
    return first == '{';
}

/// Names and paths of the same length, so that neither side's stack is placed differently (see add_twin).
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
    if (options.budget_s) plan.budget = from_seconds(*options.budget_s);
    plan.seed = options.seed ? *options.seed : std::random_device{}();
    plan.baseline = "base";
    plan.contenders = {side("base", options.base, plan, stop), side("next", options.next, plan, stop)};
    if (stop.requested()) return std::nullopt;
    plan.workloads = select(workloads_of(plan.contenders), options.workloads, "benchmark");
    add_twin(plan);
    return plan;
}

int conclude(const reports::report& report, double tolerated_pct) {
    const auto found = judge_gate(report, tolerated_pct);
    for (const auto& reason : found.reasons) tell(fmt::format("loopbench: {}\n", reason));
    return report.complete ? exit_code_of(found.outcome) : exit_interrupted;
}

reports::report read_report(const std::string& file) {
    return reports::read_json(reports::read_file(file), file);
}

int compare(const compare_options& options, const std::vector<std::string>& command) {
    const auto started = session_start::clock::now();
    const bool base_is_report = is_report(options.base), next_is_report = is_report(options.next);
    if (base_is_report != next_is_report)
        throw usage_error{
            "one is a report and the other is not; name two reports, or two benchmark executables"};
    if (base_is_report) {
        const auto report =
            compare_reports(read_report(options.base), read_report(options.next), options.threshold_pct);
        reports::write_standard_output(reports::write_table(report));
        return conclude(report, options.tolerated_pct);
    }
    const interrupt stop;
    const auto plan = plan_for(options, stop);
    if (!plan) return exit_interrupted;
    const auto report = measure(*plan, command, options.output, stop, started);
    publish(report, options.output);
    return conclude(report, options.tolerated_pct);
}

}  // namespace

void add_compare_command(CLI::App& app, action& chosen) {
    const auto options = std::make_shared<compare_options>();
    auto* command =
        app.add_subcommand("compare", "two builds of a benchmark program against each other, or two reports");
    command->add_option("BASE", options->base, "the old report, or the old Google Benchmark executable")
        ->required();
    command->add_option("NEW", options->next, "the new one")->required();
    command->add_option("--workload", options->workloads, "only these benchmarks; may be repeated")
        ->type_name("GLOB")
        ->allow_extra_args(false);
    constexpr std::uint64_t blocks_max = 100'000, largest_seed = (std::uint64_t{1} << 53U) - 1;
    command->add_option("--blocks", options->blocks, "trials of each benchmark and build (20)")
        ->type_name("N")
        ->check(CLI::Range(std::uint64_t{1}, blocks_max).description(""));
    takes_duration(
        command->add_option("--budget", options->budget_s, "stop before a block that would end later"));
    takes_duration(
        command->add_option("--min-time", options->min_time_s, "how long a trial measures (100ms)"));
    command->add_option("--seed", options->seed, "of the order of trials")
        ->type_name("N")
        ->check(CLI::Range(std::uint64_t{0}, largest_seed).description(""));
    command->add_option("--threshold", options->threshold_pct, "differences of less than PCT are none (1%)")
        ->type_name("PCT")
        ->check(takes_percent(0, 50));
    command
        ->add_option("--tolerate", options->tolerated_pct,
                     "exit with 4 unless slowdowns of more than PCT are ruled out (5%)")
        ->type_name("PCT")
        ->check(takes_percent(0.1, 50));
    takes_path(
        command->add_option("-o,--output", options->output, "the folder to write to (loopbench-compare)")
            ->type_name("DIR"));
    command->callback([options, &chosen] {
        chosen = [options](const auto& command_line) { return compare(*options, command_line); };
    });
}

}  // namespace loopbench::bench
