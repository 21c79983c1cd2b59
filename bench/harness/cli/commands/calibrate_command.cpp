// loopbench calibrate: measures how often the verdicts on this machine are right.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bench/harness/cli/commands.hpp"
#include "bench/harness/cli/help.hpp"
#include "bench/harness/cli/option_types.hpp"
#include "bench/harness/cli/session/contenders.hpp"
#include "bench/harness/cli/session/session.hpp"
#include "bench/harness/cli/session/session_options.hpp"
#include "bench/harness/cli/terminal.hpp"
#include "bench/harness/experiment/record.hpp"
#include "bench/harness/experiment/selection.hpp"
#include "bench/harness/gate/calibrate.hpp"
#include "bench/harness/gate/calibration_file.hpp"
#include "bench/harness/trial/describe.hpp"
#include "reports/base/atomic_file.hpp"
#include "reports/base/posix_io.hpp"
#include "reports/render/calibration.hpp"

namespace loopbench::bench {

namespace {

namespace fs = std::filesystem;

struct calibrate_options {
    std::string contender = "asio-epoll", replay;
    std::vector<std::string> workloads{"echo/rtt/tcp/conns:100/bytes:64"};
    std::vector<unsigned> slowdowns_pct{1, 2, 3, 5, 10};
    calibration_sizes sizes;
    bool full_size = false, keep_to_itself = false;
    session_options session;
};

struct all_runs {
    session_record equal, slowed;
    std::optional<session_record> referee{};
};

/// Returns the default plan. It has many short trials instead of a few long ones, because each trial is a new
/// process, and times vary more between processes than within one process.
run_plan usual_plan(bool full_size) {
    run_plan plan;
    plan.size = full_size ? workload_size::full : workload_size::small;
    plan.min_time_s = full_size ? 0.1 : 0.01;
    plan.budget = std::chrono::minutes{15};
    return plan;
}

contender named(const calibrate_options& options) {
    auto all = contenders_in(options.session.contender_dirs);
    const auto found = std::ranges::find(all, options.contender, &contender::name);
    if (found == all.end()) {
        refuse_not_built({options.contender}, names_of(all));
        throw_unknown("contender", options.contender, names_of(all));
    }
    return std::move(*found);
}

std::uint64_t blocks_of(std::uint64_t tries, std::uint64_t blocks, const run_plan& plan) {
    const auto workloads = plan.workloads.size();
    return (tries + workloads - 1) / workloads * blocks;
}

void check_cells(const session_record& ran) {
    for (const auto& workload : ran.outcome.excluded)
        for (const auto& why : workload)
            if (why)
                throw std::runtime_error{
                    fmt::format("cannot calibrate, because a trial has no result: {}; choose another "
                                "--contender or --workload",
                                why->reason)};
}

/// Runs a single block before the calibration. Thus a contender that cannot be slowed down causes an error at
/// once, and not after a quarter of an hour.
void check_contender(const run_plan& base, const contender& who, session_place place) {
    auto plan = calibration_plan(base, who, std::vector{slowdown_pct_max});
    plan.blocks = 1;
    place.started = session_start::clock::now();
    const auto tried = measure(std::move(plan), place).record;
    fs::remove_all(place.folder);
    place.stop.throw_if_requested();
    check_cells(tried);
    check_slowdowns(tried);
}

all_runs measure_all(const calibrate_options& options, const invocation& by, const interrupt& stop) {
    const auto started = session_start::clock::now();
    const fs::path folder{options.session.output};
    auto who = named(options);
    auto plan = sized_plan(usual_plan(options.full_size), options.session);
    plan.of_one_program = true;
    list_workloads(who, plan.size, probe_limit, stop.fd());
    stop.throw_if_requested();
    if (!who.problem.empty()) throw std::runtime_error{fmt::format("{} {}", who.name, who.problem)};
    plan.workloads = select(who.workloads, options.workloads, "workload");
    plan.contenders = {who};
    plan.described = describe_all(plan.contenders, plan.workloads, plan.size, probe_limit, stop.fd());
    stop.throw_if_requested();
    choose_pairings(plan);
    pairing_of(plan);  // throws if the workloads have different pairings
    reports::prepare_output_folder(folder);
    check_contender(plan, who, {folder / "probe", by, stop, started});

    // The budgets of all three runs begin at `started`. The A/A comparison must end when two fifths of the
    // whole budget are spent, and the sequential trials of `referee` when half of it is spent. The trials
    // with slowdowns can use the rest.
    auto equal = calibration_plan(plan, who, {}), slowed = calibration_plan(plan, who, options.slowdowns_pct);
    equal.blocks = blocks_of(options.sizes.aa_tries, options.sizes.aa_blocks, plan);
    equal.budget = *plan.budget * 2 / 5;
    slowed.blocks = blocks_of(options.sizes.tries, options.sizes.blocks, plan);
    auto referee = referee_plan(slowed);
    all_runs ran;
    ran.equal = measure(std::move(equal), {folder / "equal", by, stop, started}).record;
    if (referee) {
        referee->budget = *plan.budget / 2;
        ran.referee = measure(*std::move(referee), {folder / "referee", by, stop, started}).record;
    }
    ran.slowed = measure(std::move(slowed), {folder / "slowed", by, stop, started}).record;
    return ran;
}

session_record stored(const fs::path& folder) {
    const auto text =
        journal_text_in(folder, "use --replay with the folder of an earlier `loopbench calibrate`");
    return read_journal(text, (folder / "journal.jsonl").native());
}

all_runs all_stored(const fs::path& folder) {
    all_runs ran{stored(folder / "equal"), stored(folder / "slowed")};
    if (fs::exists(folder / "referee")) ran.referee = stored(folder / "referee");
    return ran;
}

void keep(const reports::calibration& found, const reports::environment& where,
          const calibrate_options& options) {
    const auto text = write_calibration(found, where);
    reports::prepare_output_folder(options.session.output);
    reports::write_file_atomically(fs::path{options.session.output} / "calibration.json", text);
    const auto path = calibration_path(found.made);
    if (!found.complete || options.keep_to_itself || !options.replay.empty() || !path) return;
    reports::prepare_output_folder(path->parent_path());
    reports::write_file_atomically(*path, text);
    tell("loopbench: the calibration is stored in {}, and later reports quote it\n", path->native());
}

int conclude(const reports::calibration& found) {
    if (!found.complete) return exit_interrupted;
    const auto unseen = [](const auto& item) { return item.measured == 0; };
    if (found.aa.tries > 0 && std::ranges::none_of(found.slowdowns, unseen)) return exit_ok;
    tell(
        "loopbench: the budget is too short to make each kind of comparison at least once; use a longer "
        "--budget, or fewer --blocks per comparison\n");
    return exit_inconclusive;
}

int calibrate(const calibrate_options& options, const invocation& by) {
    const interrupt stop;
    const fs::path old{options.replay};
    const auto ran = old.empty() ? measure_all(options, by, stop) : all_stored(old);
    check_cells(ran.equal);
    check_cells(ran.slowed);
    auto found = judge_calibration(ran.equal, ran.slowed, options.sizes);
    if (ran.referee) {
        check_cells(*ran.referee);
        found.pairings = judge_pairings(ran.slowed, *ran.referee);
    }
    reports::write_standard_output(reports::calibration_table(found));
    keep(found, ran.equal.where, options);
    return conclude(found);
}

void add_sizes(CLI::App& command, calibration_sizes& sizes) {
    constexpr std::uint64_t most = 1000;
    const auto number = [&](const char* name, std::uint64_t& value, std::uint64_t least, const char* text) {
        return command.add_option(name, value, text)
            ->type_name("N")
            ->check(CLI::Range(least, most).description(""));
    };
    number("--tries", sizes.tries, 1, "number of comparisons for each slowdown (40)");
    number("--blocks", sizes.blocks, 6, "blocks in each comparison for a slowdown (20)");
    number("--aa-tries", sizes.aa_tries, 1, "number of comparisons of the contender with itself (320)");
    number("--aa-blocks", sizes.aa_blocks, 6, "blocks in each comparison of the contender with itself (20)");
}

void add_files(CLI::App& command, calibrate_options& options) {
    takes_path(
        command.add_option("--replay", options.replay, "measure nothing; evaluate the journals in DIR again")
            ->type_name("DIR"));
    command.add_flag(
        "--no-store", options.keep_to_itself,
        "do not store the result for later reports ($XDG_STATE_HOME/loopbench/calibration.json)");
}

const std::initializer_list<example> calibrate_examples{
    {"loopbench calibrate", "calibrates this machine in about a quarter of an hour"},
    {"loopbench calibrate --contender loop-epoll --workload yield --slowdown 2 --budget 5min",
     "measures how often a slowdown of 2 % is detected on one workload"}};

constexpr const char* how_it_is_calibrated =
    "To measure the rate of false alarms, the contender is compared with itself. To measure the rate of\n"
    "detection, it is compared with a copy of itself that wastes a known share of its time. Reports of\n"
    "later runs on this machine quote both rates. docs/method.md explains the numbers with an example.";

}  // namespace

void add_calibrate_command(CLI::App& app, action& chosen) {
    const auto options = std::make_shared<calibrate_options>();
    auto* command = app.add_subcommand(
        "calibrate", "measures the rate of false alarms on this machine, and which slowdowns are detected");
    command
        ->add_option("--contender", options->contender, "the contender to compare with itself (asio-epoll)")
        ->type_name("NAME");
    add_repeatable(*command, "--workload", options->workloads, "GLOB",
                   "the workloads to measure; may be repeated (echo/rtt/tcp/conns:100/bytes:64)");
    add_contender_dirs(*command, options->session.contender_dirs);
    command
        ->add_option("--slowdown", options->slowdowns_pct,
                     "slowdown to inject, in per cent; may be repeated (1 2 3 5 10)")
        ->type_name("PCT")
        ->check(CLI::Range(1U, slowdown_pct_max).description(""))
        ->allow_extra_args(false);
    put_under(*command, heading::what);
    add_sizes(*command, options->sizes);
    put_under(*command, heading::how_long);
    command->add_flag("--full", options->full_size,
                      "use full size and trials of 100 ms, instead of small size and trials of 10 ms");
    add_session_options(*command, options->session, usual_plan(false), "loopbench-calibration",
                        sizing::by_the_command);
    add_files(*command, *options);
    put_under(*command, heading::output);
    command->footer(examples_and(calibrate_examples, how_it_is_calibrated));
    command->callback([options, &chosen] {
        std::ranges::sort(options->slowdowns_pct);
        const auto twice = std::ranges::unique(options->slowdowns_pct);
        options->slowdowns_pct.erase(twice.begin(), twice.end());
        chosen = [options](const invocation& by) { return calibrate(*options, by); };
    });
}

}  // namespace loopbench::bench
