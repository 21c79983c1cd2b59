#include "bench/harness/cli/session/bisect_trials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "bench/harness/bisection/halfway.hpp"
#include "bench/harness/cli/option_types.hpp"
#include "bench/harness/cli/session/commands_compared.hpp"
#include "bench/harness/cli/session/contenders.hpp"
#include "bench/harness/cli/session/layouts.hpp"
#include "bench/harness/cli/session/program_arguments.hpp"
#include "bench/harness/cli/session/session_options.hpp"
#include "bench/harness/cli/session/time_left.hpp"
#include "bench/harness/cli/shell_word.hpp"
#include "bench/harness/cli/terminal.hpp"
#include "bench/harness/experiment/samples.hpp"
#include "bench/harness/experiment/selection.hpp"
#include "bench/harness/gate/judgement.hpp"
#include "bench/harness/statistics/median.hpp"
#include "bench/harness/statistics/sequential_test.hpp"
#include "bench/harness/summary/self_check.hpp"
#include "bench/harness/trial/describe.hpp"
#include "bench/harness/trial/gbench_json.hpp"
#include "bench/harness/trial/usage_error.hpp"
#include "reports/base/atomic_file.hpp"
#include "reports/model/json.hpp"
#include "reports/render/html/html.hpp"

namespace loopbench::bench {

namespace fs = std::filesystem;

namespace {

bool has_benchmark(const contender& who, const std::string& workload) {
    return std::ranges::find(who.workloads, workload) != who.workloads.end();
}

std::optional<std::string> why_not_measured(const run_outcome& outcome, std::size_t contender) {
    const auto& why = outcome.excluded[0][contender];
    return why ? std::optional{why->reason} : std::nullopt;
}

/// Returns a shell command that runs the program of a commit as a trial does.
std::string by_hand(const contender& who, const bisect_request& request) {
    auto command = request.run.empty() ? shell_word(who.path.native()) : "sh -c " + shell_word(request.run);
    for (const auto& word : who.arguments) command += " " + shell_word(word);
    return fmt::format("cd {} && {}", shell_word(who.folder.native()), command);
}

/// Adds the benchmarks of `owner` that the patterns select and that `other` lacks.
void add_unmatched(std::vector<unmatched_benchmark>& all, const contender& owner, const contender& other,
                   const std::vector<std::string>& patterns) {
    for (const auto& each : owner.workloads)
        if ((patterns.empty() || matches_any(patterns, each)) && !has_benchmark(other, each))
            all.push_back({each, owner.name});
}

step_line line_of(const commit_info& commit, const run_plan& plan, const run_outcome& outcome,
                  const reports::metric_info& metric, double error) {
    step_line line{.step = commit.id, .blocks = outcome.blocks_finished, .error = error};
    if (const auto why = why_not_measured(outcome, commit_place)) {
        line.verdict = commit_verdict::skipped;
        line.reason = *why;
        return line;
    }
    const auto distances = distances_from_halfway(plan, outcome, metric);
    if (distances.empty()) {
        line.verdict = commit_verdict::skipped;
        line.reason = why_no_distance(plan, outcome, metric);
        return line;
    }
    const sample_table samples{plan, outcome};
    if (const auto ratios = samples.log_ratios({0, commit_place, good_place}, metric); !ratios.empty())
        line.ratio = std::exp(median_of(ratios));
    if (const auto found = side_of_median(distances, error))
        line.verdict = *found == side::above ? commit_verdict::slower : commit_verdict::not_slower;
    return line;
}

}  // namespace

std::uint64_t most_blocks_of_step(const bisect_request& request) {
    constexpr std::uint64_t least = 100, times = 5;
    return std::min(std::max(least, times * request.blocks), blocks_max);
}

contender bisect_trials::program_in(const fs::path& tree, const commit_info& commit) const {
    contender who;
    try {
        if (!request_.run.empty()) {
            become_command(who, request_.run, true);
        } else {
            who.path = tree / request_.program;
            if (fs::is_directory(who.path)) who.layouts = layouts_in(who.path);
            if (!who.layouts.empty()) who.path = who.layouts.front();
            who.arguments = words_in(request_.arguments);
            remember_asio_use(who, who.path);
            remember_files(who);
        }
    } catch (const usage_error& error) {
        who.problem = error.what();
    }
    who.name = short_id(commit);
    who.folder = tree;
    if (!who.problem.empty()) return who;
    list_workloads(who, run_plan{}.size, from_seconds(request_.trial_limit_s), stop_.fd(),
                   listing_filter(request_.workloads));
    stop_.throw_if_requested();
    return who;
}

run_plan bisect_trials::usual_plan() const {
    auto plan = usual_gate_plan();
    plan.blocks = request_.blocks;
    plan.min_time_s = request_.min_time_s;
    plan.threshold_pct = request_.threshold_pct;
    plan.trial_limit = from_seconds(request_.trial_limit_s);
    plan.asked_pairing = request_.pairing;
    plan.of_one_program = true;
    return plan;
}

run_plan bisect_trials::plan_of(const pair_to_compare& two, session_start started) const {
    constexpr double usual_tolerance_pct = 5;
    auto plan = usual_plan();
    plan.tolerated_pct = usual_tolerance_pct;
    plan.seed = two.seed;
    plan.baseline = two.older.name;
    plan.contenders = {two.older, two.newer};
    plan.workloads = two.workloads;
    if (!two.unmatched.empty()) plan.unmatched = two.unmatched;
    complete_plan(plan, stop_, started);
    for (std::size_t i = 0; i < plan.described.size(); ++i)
        plan.described[i].context["program"] = reports::valid_utf8(plan.contenders[i].path.native());
    if (request_.run.empty()) {
        const auto unknown = pair_third_party_programs(plan, stop_, started);
        report_pairings(plan, unknown);
    }
    return plan;
}

/// Runs the session in the folder, or continues it after an earlier bisection.
session_record bisect_trials::session(const std::string& name, const std::function<run_plan()>& plan,
                                      session_place place) const {
    place.folder = folder_ / name;
    auto run =
        resumes_ && fs::exists(place.folder / "journal.jsonl") ? measure_rest(place) : measure(plan(), place);
    if (run.record.outcome.interrupted) throw interrupted{};
    if (run.unwritten) throw *run.unwritten;
    return std::move(run.record);
}

compared_commits bisect_trials::compare_reliably(const std::string& name, pair_to_compare two) const {
    auto found = compare_once(name, two);
    if (!is_unreliable(found.report)) return found;
    tell("loopbench: note: the session was unreliable, so it is measured once more\n");
    two.seed = (two.seed + 1) % largest_seed;
    return compare_once(name + "-again", two);
}

compared_commits bisect_trials::compare_once(const std::string& name, const pair_to_compare& two) const {
    const auto started = session_start::clock::now();
    auto record = session(name, [&] { return plan_of(two, started); }, {{}, by_, stop_, started});
    auto report = judged_report_of(record);
    return {name, std::move(record.plan), std::move(report)};
}

compared_commits bisect_trials::compare(const std::string& name, const contender& older,
                                        const contender& newer,
                                        const std::vector<std::string>& workloads) const {
    std::vector<std::string> common;
    std::ranges::copy_if(older.workloads, std::back_inserter(common),
                         [&](const std::string& each) { return has_benchmark(newer, each); });
    pair_to_compare two{older, newer, {}, {}, request_.seed};
    add_unmatched(two.unmatched, older, newer, workloads);
    add_unmatched(two.unmatched, newer, older, workloads);
    if (common.empty())
        throw usage_error{
            "{} and {} have no benchmark in common{}; use another --program, or commits that are closer",
            older.name, newer.name,
            two.unmatched.empty()
                ? ""
                : fmt::format(" (for example, only one has {})", two.unmatched.front().workload)};
    two.workloads =
        select(common, workloads, "benchmark", "--benchmark_list_tests=true of the program shows all names");
    return compare_reliably(name, std::move(two));
}

compared_commits bisect_trials::compare_one(const std::string& name, const contender& older,
                                            const contender& newer, const std::string& workload) const {
    return compare_reliably(name, {older, newer, {workload}, {}, request_.seed});
}

void bisect_trials::set_aside(const std::string& name) const {
    fs::rename(folder_ / name / "journal.jsonl", folder_ / name / "failed.jsonl");
}

/// Throws std::runtime_error if GOOD or BAD failed, because every further step would need them.
void bisect_trials::require_both_ends(const std::string& name, const session_record& record) const {
    for (const auto place : {good_place, bad_place})
        if (const auto why = why_not_measured(record.outcome, place)) {
            const auto& who = record.plan.contenders[place];
            set_aside(name);
            throw std::runtime_error{
                fmt::format("the program of {} failed: {}; run it by hand (`{}`), and repeat the step with "
                            "`loopbench bisect --resume {}`",
                            who.name, *why, by_hand(who, request_), shell_word(folder_.native()))};
        }
}

fs::path bisect_trials::write_report(const compared_commits& of) const {
    const auto file = folder_ / of.folder / "report.json", page = folder_ / of.folder / "report.html";
    const auto as_json = reports::write_json(of.report), as_html = reports::write_html(of.report, {});
    const std::array files{reports::new_file{file, as_json}, reports::new_file{page, as_html}};
    reports::write_files_atomically(files);
    return page;
}

run_plan bisect_trials::plan_of_step(const commit_info& commit, const contender& program,
                                     const compared_commits& first, const std::string& workload) const {
    auto plan = usual_plan();
    const auto at = static_cast<std::size_t>(std::ranges::find(first.plan.workloads, workload) -
                                             first.plan.workloads.begin());
    const auto number =
        std::ranges::find(request_.commits, commit.id, &commit_info::id) - request_.commits.begin();
    plan.seed = (request_.seed + static_cast<std::uint64_t>(number) + 1) % largest_seed;
    plan.baseline = first.plan.baseline;
    plan.workloads = {workload};
    plan.contenders = {first.plan.contenders[0], program, first.plan.contenders[1]};
    auto own = describe_all(std::span{&program, 1}, plan.workloads, plan.size, probe_limit, stop_.fd());
    stop_.throw_if_requested();
    remember_named_files(plan.contenders[commit_place], own.front().context);
    plan.contenders[commit_place].min_time_unit = unit_of_min_time(own.front().context);
    plan.described = {first.plan.described[0], std::move(own.front()), first.plan.described[1]};
    plan.pairings = {first.plan.pairings[at]};
    plan.cores = {first.plan.cores[at]};
    plan.cpus = first.plan.cpus;
    plan.blocks = most_blocks_of_step(request_);
    // Blocks that repeat a pair of layouts are not independent.
    if (const auto layouts = plan.layout_pairs(); layouts > 0)
        plan.blocks = std::min<std::uint64_t>(plan.blocks, layouts);
    return plan;
}

step_line bisect_trials::judge(const commit_info& commit, const contender& program,
                               const compared_commits& first, const std::string& workload, double error,
                               const std::string& progress) const {
    const auto started = session_start::clock::now();
    if (!has_benchmark(program, workload))
        return {.step = commit.id,
                .verdict = commit_verdict::skipped,
                .reason = fmt::format("the program has no benchmark {}", workload)};
    const auto& metric = *reports::find_metric(request_.metric);
    const auto plan = plan_of_step(commit, program, first, workload);
    const auto enough = [&](const run_outcome& so_far) {
        const auto is_excluded = [](const auto& why) { return why.has_value(); };
        if (std::ranges::any_of(so_far.excluded[0], is_excluded)) return true;
        const auto distances = distances_from_halfway(plan, so_far, metric);
        if (distances.empty()) return so_far.blocks_finished >= blocks_to_try;
        return side_of_median(distances, error).has_value();
    };
    const auto name = fmt::format("steps/{}", program.name);
    const auto record = session(name, [&] { return plan; }, {{}, by_, stop_, started, enough, progress});
    require_both_ends(name, record);
    auto line = line_of(commit, record.plan, record.outcome, metric, error);
    line.seconds = elapsed_time{session_start::clock::now() - started}.count();
    return line;
}

}  // namespace loopbench::bench
