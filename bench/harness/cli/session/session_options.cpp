#include "bench/harness/cli/session/session_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <random>
#include <string>
#include <vector>

#include "bench/harness/cli/help.hpp"
#include "bench/harness/cli/option_types.hpp"

namespace loopbench::bench {

namespace {

std::string seconds_text(std::chrono::nanoseconds time) {
    const double seconds = std::chrono::duration<double>{time}.count();
    if (seconds < 1) return fmt::format("{:g}ms", 1000 * seconds);
    return seconds < 120 ? fmt::format("{:g}s", seconds) : fmt::format("{:g}min", seconds / 60);
}

std::string blocks_text(const run_plan& usual) {
    // A gate never runs more blocks than its default number, because this number suffices for verdicts on the
    // few results that a gate compares.
    const bool is_gate = usual.how == correction::holm;
    return fmt::format("{}{}", usual.blocks, is_gate ? "" : ", or more if the verdicts need more");
}

std::vector<std::string> pairing_names() {
    const auto names = reports::names_of(reports::pairing{});
    return {names.begin(), names.end()};
}

using measuring_options = std::vector<CLI::Option*>;

template <class type>
CLI::Option* add_measuring(CLI::App& command, measuring_options& all, const char* name, type& value,
                           const std::string& text) {
    return all.emplace_back(command.add_option(name, value, text));
}

void add_lengths(CLI::App& command, measuring_options& all, session_options& options, const run_plan& usual,
                 sizing how) {
    auto* budget =
        add_measuring(command, all, "--budget", options.budget_s,
                      fmt::format("stop before a block that would end after this time{}",
                                  usual.budget ? fmt::format(" ({})", seconds_text(*usual.budget)) : ""));
    takes_duration(budget);
    if (how == sizing::blocks_and_precision) {
        auto* blocks = add_measuring(command, all, "--blocks", options.blocks,
                                     fmt::format("number of trials of each contender on each workload ({})",
                                                 blocks_text(usual)))
                           ->type_name("N")
                           ->check(CLI::Range(std::uint64_t{1}, blocks_max).description(""));
        takes_percent(
            add_measuring(command, all, "--precision", options.precision_pct,
                          "run until every ratio of the metric `time` is known to within PCT; replaces "
                          "--blocks, and needs --budget")
                ->excludes(blocks)
                ->needs(budget),
            0.01, 50);
    }
    takes_duration(add_measuring(
        command, all, "--min-time", options.min_time_s,
        fmt::format("minimum measured time of a trial ({}); applies to interleaved trials (see Terms) and "
                    "to workloads without a fixed number of operations; at least 20ms if concurrent",
                    seconds_text(from_seconds(usual.min_time_s)))));
    takes_duration(add_measuring(
        command, all, "--trial-limit", options.trial_limit_s,
        fmt::format("time limit of a trial; a longer trial fails ({})", seconds_text(usual.trial_limit))));
    put_under(command, heading::how_long);
}

void add_slice(CLI::App& command, measuring_options& all, session_options& options) {
    const auto take_slice = [&options](const std::string& text) {
        options.slice = slice_lengths_in(text);
        if (!options.slice)
            throw CLI::ValidationError{"--slice",
                                       fmt::format("'{}' is not a valid slice; expected UNTIMED+TIMED in "
                                                   "milliseconds, each at most 1000, and TIMED above 0, "
                                                   "for example 0.5ms+1.5ms",
                                                   text)};
    };
    all.push_back(
        command
            .add_option_function<std::string>(
                "--slice", take_slice,
                "length of a slice in interleaved trials: first an untimed part, which fills the caches, "
                "then a timed part (0.5ms+1.5ms)")
            ->type_name("UNTIMED+TIMED"));
}

void add_arrangement(CLI::App& command, measuring_options& all, session_options& options) {
    takes_cpu(add_measuring(command, all, "--pin", options.cpu, "run all trials on this CPU"));
    const auto take_pairing = [&options](const std::string& name) {
        options.asked_pairing = reports::named<reports::pairing>(name);
    };
    all.push_back(command
                      .add_option_function<std::string>(
                          "--pairing", take_pairing,
                          "how the trials of a block are arranged (see below; each workload has its own "
                          "default); workloads that must be sequential ignore this option")
                      ->type_name(fmt::format("{}", fmt::join(pairing_names(), "|")))
                      ->transform(CLI::IsMember(pairing_names(), CLI::ignore_case).description("")));
    add_slice(command, all, options);
    add_measuring(command, all, "--seed", options.seed, "seed of the random order of trials (random)")
        ->type_name("N")
        ->check(CLI::Range(std::uint64_t{0}, largest_seed).description(""));
    put_under(command, heading::trials);
}

}  // namespace

std::vector<CLI::Option*> add_session_options(CLI::App& command, session_options& options,
                                              const run_plan& usual, const std::string& usual_output,
                                              sizing how) {
    put_under(command, heading::what);
    measuring_options all;
    add_lengths(command, all, options, usual, how);
    add_arrangement(command, all, options);
    takes_percent(
        command.add_option("--threshold", options.threshold_pct,
                           fmt::format("ignore differences below PCT ({:g}%)", usual.threshold_pct)),
        0, 50);
    put_under(command, heading::judging);
    options.output = usual_output;
    takes_path(add_measuring(command, all, "-o,--output", options.output,
                             fmt::format("folder for journal and reports ({})", usual_output))
                   ->type_name("DIR"));
    put_under(command, heading::output);
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
    add_repeatable(command, "--contender-dir", folders, "DIR",
                   "an additional folder with contenders; may be repeated");
}

const CLI::Option* add_tolerance(CLI::App& command, double& tolerated_pct) {
    auto* const option = command.add_option(
        "--tolerate", tolerated_pct,
        fmt::format("exit with 4 unless slowdowns above PCT can be ruled out ({:g}%)", tolerated_pct));
    takes_percent(option, 0.1, 50);
    put_under(command, heading::judging);
    return option;
}

}  // namespace loopbench::bench
