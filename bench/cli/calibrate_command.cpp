// loopbench calibrate: how often this machine's verdicts are right, where the truth is known.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "bench/cli/commands.hpp"
#include "bench/cli/contenders.hpp"
#include "bench/cli/durations.hpp"
#include "bench/cli/messages.hpp"
#include "bench/cli/paths.hpp"
#include "bench/cli/percents.hpp"
#include "bench/cli/session.hpp"
#include "bench/experiment/selection.hpp"
#include "bench/gate/calibrate.hpp"
#include "bench/gate/calibration_file.hpp"
#include "reports/atomic_file.hpp"
#include "reports/calibration.hpp"
#include "reports/posix_io.hpp"

namespace loopbench::bench {

namespace {

namespace fs = std::filesystem;

struct calibrate_options {
    std::string contender = "asio-epoll", output = "loopbench-calibration", replay;
    std::vector<std::string> workloads{"echo/rtt/tcp/conns:100/bytes:64"}, contender_dirs;
    std::vector<unsigned> slowdowns_pct{1, 2, 3, 5, 10};
    calibration_sizes sizes;
    double budget_s = 15 * 60, threshold_pct = 1;
    std::optional<std::uint64_t> seed;
    bool real_size = false, keep_to_itself = false;
};

struct both_runs {
    journal_content equal, slowed;
};

/// Without contenders and blocks.
run_plan sized_plan(const calibrate_options& options) {
    run_plan plan;
    // Short trials, and many of them: what differs from process to process is most of the noise.
    plan.size = options.real_size ? workload_size::real : workload_size::smoke;
    plan.min_time_s = options.real_size ? 0.1 : 0.01;
    plan.threshold_pct = options.threshold_pct;
    plan.seed = options.seed ? *options.seed : std::random_device{}();
    return plan;
}

contender named(const calibrate_options& options) {
    auto all = contenders_in(options.contender_dirs);
    const auto found = std::ranges::find(all, options.contender, &contender::name);
    if (found == all.end()) throw_unknown("contender", options.contender, names_of(all));
    return std::move(*found);
}

std::uint64_t blocks_of(std::uint64_t tries, std::uint64_t blocks, const run_plan& plan) {
    const auto workloads = plan.workloads.size();
    return (tries + workloads - 1) / workloads * blocks;
}

/// A cell that failed is no noise.
void check_cells(const journal_content& ran) {
    for (const auto& workload : ran.outcome.excluded)
        for (const auto& why : workload)
            if (why)
                throw std::runtime_error{
                    fmt::format("nothing can be calibrated with a contender that fails: {}", why->reason)};
}

/// A single trial, so that a contender that cannot be slowed down is not found out after a quarter of an
/// hour.
void check_contender(run_plan plan, const contender& who, const fs::path& folder,
                     const std::vector<std::string>& command, const interrupt& stop) {
    plan = calibration_plan(plan, who, std::vector{slowdown_pct_max});
    plan.blocks = 1;
    const auto tried = gather(plan, command, folder, stop, session_start::clock::now());
    fs::remove_all(folder);
    if (stop.requested()) return;
    check_cells(tried);
    check_slowdowns(tried);
}

/// Nothing when the user stopped it before there was anything to keep.
std::optional<both_runs> measure_both(const calibrate_options& options,
                                      const std::vector<std::string>& command, const interrupt& stop) {
    const auto started = session_start::clock::now();
    const fs::path folder{options.output};
    auto who = named(options);
    auto plan = sized_plan(options);
    list_workloads(who, plan.size, probe_limit, stop.fd());
    if (stop.requested()) return std::nullopt;
    if (!who.problem.empty()) throw std::runtime_error{fmt::format("{} {}", who.name, who.problem)};
    plan.workloads = select(who.workloads, options.workloads, "workload");
    reports::prepare_output_folder(folder);
    check_contender(plan, who, folder / "probe", command, stop);
    if (stop.requested()) return std::nullopt;

    // The A/A gets two fifths of the time at most: where it needs less, the slowdowns have more.
    constexpr double share_of_aa = 0.4;
    const auto budget = from_seconds(options.budget_s);
    both_runs ran;
    auto equal = calibration_plan(plan, who, {});
    equal.blocks = blocks_of(options.sizes.aa_tries, options.sizes.aa_blocks, plan);
    equal.budget = from_seconds(share_of_aa * options.budget_s);
    ran.equal = gather(equal, command, folder / "equal", stop, started);
    auto slowed = calibration_plan(plan, who, options.slowdowns_pct);
    slowed.blocks = blocks_of(options.sizes.tries, options.sizes.blocks, plan);
    slowed.budget = budget;
    ran.slowed = gather(slowed, command, folder / "slowed", stop, started);
    return ran;
}

journal_content stored(const fs::path& folder) {
    const auto file = folder / "journal.jsonl";
    if (!fs::exists(file))
        throw usage_error{fmt::format(
            "there is no {}; --replay takes the folder of an earlier `loopbench calibrate`", file.native())};
    return read_journal(reports::read_file(file.native()), file.native());
}

void keep(const reports::calibration& found, const reports::environment& where,
          const calibrate_options& options) {
    const auto text = write_calibration(found, where);
    reports::prepare_output_folder(options.output);
    reports::write_file_atomically(fs::path{options.output} / "calibration.json", text);
    const auto path = calibration_path();
    if (!found.complete || options.keep_to_itself || !options.replay.empty() || !path) return;
    reports::prepare_output_folder(path->parent_path());
    reports::write_file_atomically(*path, text);
    tell(fmt::format("loopbench: reports will quote {}\n", path->native()));
}

int conclude(const reports::calibration& found) {
    if (!found.complete) return exit_interrupted;
    const auto unseen = [](const auto& item) { return item.measured == 0; };
    if (found.aa_tries > 0 && std::ranges::none_of(found.slowdowns, unseen)) return exit_ok;
    tell(
        "loopbench: the time was not enough for a single try; give it more (--budget), or make tries of "
        "fewer blocks (--blocks)\n");
    return exit_inconclusive;
}

int calibrate(const calibrate_options& options, const std::vector<std::string>& command) {
    const interrupt stop;
    const fs::path old{options.replay};
    const auto ran = old.empty() ? measure_both(options, command, stop)
                                 : both_runs{stored(old / "equal"), stored(old / "slowed")};
    if (!ran) return exit_interrupted;
    check_cells(ran->equal);
    check_cells(ran->slowed);
    const auto found = judge_calibration(ran->equal, ran->slowed, options.sizes);
    reports::write_standard_output(reports::calibration_table(found));
    keep(found, ran->equal.where, options);
    return conclude(found);
}

void add_sizes(CLI::App& command, calibration_sizes& sizes) {
    constexpr std::uint64_t most = 1000;
    const auto number = [&](const char* name, std::uint64_t& value, std::uint64_t least, const char* text) {
        return command.add_option(name, value, text)
            ->type_name("N")
            ->check(CLI::Range(least, most).description(""));
    };
    number("--tries", sizes.tries, 1, "of each slowdown (40)");
    number("--blocks", sizes.blocks, 6, "of each of these tries (200)");
    number("--aa-tries", sizes.aa_tries, 1, "comparisons of the contender with itself (320)");
    number("--aa-blocks", sizes.aa_blocks, 6, "of each of these comparisons (20)");
}

void add_files(CLI::App& command, calibrate_options& options) {
    takes_path(command
                   .add_option("-o,--output", options.output,
                               "the folder for the journals and the result (loopbench-calibration)")
                   ->type_name("DIR"));
    takes_path(command
                   .add_option("--replay", options.replay,
                               "measure nothing, and judge the journals of DIR once more")
                   ->type_name("DIR"));
    command.add_flag(
        "--no-store", options.keep_to_itself,
        "do not let later reports quote the result ($XDG_STATE_HOME/loopbench/calibration.json)");
}

}  // namespace

void add_calibrate_command(CLI::App& app, action& chosen) {
    const auto options = std::make_shared<calibrate_options>();
    auto* command =
        app.add_subcommand("calibrate", "this machine's rates of false alarms and of found slowdowns");
    command->add_option("--contender", options->contender, "which one (asio-epoll)")->type_name("NAME");
    command
        ->add_option("--workload", options->workloads,
                     "on these workloads; may be repeated (echo/rtt/tcp/conns:100/bytes:64)")
        ->type_name("GLOB")
        ->allow_extra_args(false);
    command->add_option("--contender-dir", options->contender_dirs, "a further folder with contenders")
        ->type_name("DIR")
        ->allow_extra_args(false);
    command
        ->add_option("--slowdown", options->slowdowns_pct,
                     "find slowdowns of PCT; may be repeated (1 2 3 5 10)")
        ->type_name("PCT")
        ->check(CLI::Range(1U, slowdown_pct_max).description(""))
        ->allow_extra_args(false);
    add_sizes(*command, options->sizes);
    takes_duration(command->add_option("--budget", options->budget_s, "end after so long (15min)"));
    takes_percent(command->add_option("--threshold", options->threshold_pct,
                                      "differences of less than PCT are none (1%)"),
                  0, 50);
    command->add_flag("--real", options->real_size, "workloads at real size; they are short otherwise");
    command->add_option("--seed", options->seed, "of the order of trials")
        ->type_name("N")
        ->check(CLI::Range(std::uint64_t{0}, largest_seed).description(""));
    add_files(*command, *options);
    command->callback([options, &chosen] {
        std::ranges::sort(options->slowdowns_pct);
        const auto twice = std::ranges::unique(options->slowdowns_pct);
        options->slowdowns_pct.erase(twice.begin(), twice.end());
        chosen = [options](const auto& command_line) { return calibrate(*options, command_line); };
    });
}

}  // namespace loopbench::bench
