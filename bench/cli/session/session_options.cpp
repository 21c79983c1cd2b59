#include "bench/cli/session/session_options.hpp"

#include <fmt/format.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "bench/cli/option_types.hpp"

namespace loopbench::bench {

namespace {

std::string seconds_text(std::chrono::nanoseconds time) {
    const double seconds = std::chrono::duration<double>{time}.count();
    if (seconds < 1) return fmt::format("{:g}ms", 1000 * seconds);
    return seconds < 120 ? fmt::format("{:g}s", seconds) : fmt::format("{:g}min", seconds / 60);
}

std::map<std::string, reports::pairing> ways() {
    using reports::pairing;
    std::map<std::string, reports::pairing> all;
    for (const auto each : {pairing::sequential, pairing::interleaved, pairing::concurrent})
        all.emplace(name_of(each), each);
    return all;
}

std::string pairing_names() {
    std::vector<std::string> names;
    for (const auto& [name, each] : ways()) names.push_back(name);
    return fmt::format("{}", fmt::join(names, "|"));
}

}  // namespace

std::vector<CLI::Option*> add_session_options(CLI::App& command, session_options& options,
                                              const run_plan& usual, const std::string& usual_output,
                                              sizing how) {
    std::vector<CLI::Option*> all;
    const auto add = [&](const char* name, auto& value, const std::string& text) {
        return all.emplace_back(command.add_option(name, value, text));
    };
    auto* budget = add("--budget", options.budget_s,
                       fmt::format("stop before a block that would end later{}",
                                   usual.budget ? fmt::format(" ({})", seconds_text(*usual.budget)) : ""));
    takes_duration(budget);
    if (how == sizing::blocks_and_precision) {
        auto* blocks = add("--blocks", options.blocks,
                           fmt::format("trials of each contender and workload ({})", usual.blocks))
                           ->type_name("N")
                           ->check(CLI::Range(std::uint64_t{1}, blocks_max).description(""));
        takes_percent(
            add("--precision", options.precision_pct,
                "as many blocks, instead of --blocks, as ratios of time to within PCT need; with --budget")
                ->excludes(blocks)
                ->needs(budget),
            0.01, 50);
    }
    takes_duration(add("--min-time", options.min_time_s,
                       fmt::format("how long a trial measures whose workload has no fixed size ({})",
                                   seconds_text(from_seconds(usual.min_time_s)))));
    takes_duration(add("--trial-limit", options.trial_limit_s,
                       fmt::format("longest trial ({})", seconds_text(usual.trial_limit))));
    takes_cpu(add("--pin", options.cpu, "run the trials on this CPU alone"));
    add("--pairing", options.asked_pairing, "how the trials of a block are made (as each workload says)")
        ->type_name(pairing_names())
        ->transform(CLI::CheckedTransformer(ways(), CLI::ignore_case).description(""));
    const auto take_slice = [&options](const std::string& text) {
        options.slice = slice_lengths_in(text);
        if (!options.slice)
            throw CLI::ValidationError{"--slice",
                                       fmt::format("{} is no UNTIMED+TIMED in milliseconds, each up to 1000 "
                                                   "and the second above 0; for example 0.5ms+1.5ms",
                                                   text)};
    };
    all.push_back(
        command
            .add_option_function<std::string>(
                "--slice", take_slice,
                "how long a slice is before what is timed of it, and how long that is (0.5ms+1.5ms)")
            ->type_name("UNTIMED+TIMED"));
    add("--seed", options.seed, "of the order of trials")
        ->type_name("N")
        ->check(CLI::Range(std::uint64_t{0}, largest_seed).description(""));
    options.output = usual_output;
    takes_path(add("-o,--output", options.output, fmt::format("the folder to write to ({})", usual_output))
                   ->type_name("DIR"));
    takes_percent(
        command.add_option("--threshold", options.threshold_pct,
                           fmt::format("differences of less than PCT are none ({:g}%)", usual.threshold_pct)),
        0, 50);
    return all;
}

run_plan sized_plan(run_plan plan, const session_options& options) {
    plan.blocks = options.precision_pct ? blocks_max : options.blocks.value_or(plan.blocks);
    plan.precision_pct = options.precision_pct;
    plan.min_time_s = options.min_time_s.value_or(plan.min_time_s);
    plan.threshold_pct = options.threshold_pct.value_or(plan.threshold_pct);
    if (options.budget_s) plan.budget = from_seconds(*options.budget_s);
    if (options.trial_limit_s) plan.trial_limit = from_seconds(*options.trial_limit_s);
    plan.cpu = options.cpu;
    plan.asked_pairing = options.asked_pairing;
    plan.slice = options.slice.value_or(plan.slice);
    plan.seed = options.seed ? *options.seed : std::random_device{}();
    return plan;
}

run_plan usual_gate_plan() {
    run_plan plan;
    plan.min_time_s = 0.1;
    plan.blocks = 20;
    plan.how = correction::holm;
    return plan;
}

void add_repeatable(CLI::App& command, const char* name, std::vector<std::string>& values, const char* type,
                    const char* text) {
    command.add_option(name, values, text)->type_name(type)->allow_extra_args(false);
}

void add_contender_dirs(CLI::App& command, std::vector<std::string>& folders) {
    add_repeatable(command, "--contender-dir", folders, "DIR", "a further folder with contenders");
}

void add_tolerance(CLI::App& command, double& tolerated_pct) {
    takes_percent(
        command.add_option("--tolerate", tolerated_pct,
                           fmt::format("exit with 4 unless slowdowns of more than PCT are ruled out ({:g}%)",
                                       tolerated_pct)),
        0.1, 50);
}

}  // namespace loopbench::bench
