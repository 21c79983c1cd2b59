#include "bench/harness/cli/commands/bisect_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "bench/harness/cli/session/time_left.hpp"
#include "bench/harness/cli/shell_word.hpp"
#include "bench/harness/cli/terminal.hpp"
#include "bench/harness/gate/judgement.hpp"
#include "bench/harness/statistics/sequential_test.hpp"
#include "bench/harness/summary/difference_text.hpp"
#include "bench/harness/summary/self_check.hpp"
#include "bench/harness/trial/usage_error.hpp"
#include "reports/base/atomic_file.hpp"
#include "reports/base/posix_io.hpp"
#include "reports/model/json.hpp"
#include "reports/render/columns.hpp"

namespace loopbench::bench {

namespace {

/// With 20 layouts, a step can be decided although two or three blocks are contrary.
constexpr std::size_t recommended_layouts = 20;

constexpr const char *first_session = "first", *last_session = "last";

/// Returns the results of the newer commit in the metric that were compared with the older one, the most
/// significant slowdown first.
std::vector<const reports::result*> compared_results(const compared_commits& of, std::string_view metric) {
    std::vector<const reports::result*> found;
    for (const auto& item : of.report.results)
        if (item.contender == of.plan.contenders[1].name && item.metric == metric && item.to_baseline &&
            item.judged)
            found.push_back(&item);
    std::ranges::sort(found, {}, [](const reports::result* item) {
        return item->to_baseline->high.value_or(item->to_baseline->median);
    });
    return found;
}

const reports::result* result_of(const compared_commits& of, std::size_t contender, std::string_view workload,
                                 std::string_view metric) {
    const auto found = std::ranges::find_if(of.report.results, [&](const reports::result& item) {
        return item.contender == of.plan.contenders[contender].name && item.workload == workload &&
               item.metric == metric;
    });
    return found == of.report.results.end() ? nullptr : &*found;
}

/// Returns the reason why a benchmark of GOOD has no verdict, for example "BM_sort has no value of time in
/// BAD". Returns nothing if each benchmark for which GOOD has a value has a verdict.
std::optional<std::string> missing_result(const compared_commits& first, const std::string& metric) {
    for (const auto& workload : first.plan.workloads) {
        const auto *good = result_of(first, 0, workload, metric),
                   *bad = result_of(first, 1, workload, metric);
        if (good == nullptr || !good->median || (bad != nullptr && bad->to_baseline && bad->judged)) continue;
        const auto name = reports::printable(workload);
        if (reports::is_disturbed(first.report, workload))
            return fmt::format("{} was not judged, because more than half of its trials were disturbed",
                               name);
        if (bad == nullptr || !bad->median)
            return fmt::format("{} has no value of {} in BAD{}", name, metric,
                               bad != nullptr && bad->reason ? ": " + reports::printable(*bad->reason) : "");
        return fmt::format("{} has values of {} that are not above 0, and such values cannot be bisected",
                           name, metric);
    }
    return std::nullopt;
}

estimate estimate_in(const reports::result& item) {
    return {item.to_baseline->median, item.to_baseline->low, item.to_baseline->high};
}

/// Returns the reason why the layouts of a program do not suffice for a decision, or nothing. A step uses
/// each layout only once, because blocks that repeat a layout are not independent.
std::optional<std::string> problem_of_layouts(const contender& who, const contender& good, double error) {
    if (who.layouts.empty() && good.layouts.empty()) return std::nullopt;
    const auto needed = fewest_samples(error);
    if (who.layouts.size() >= needed) return std::nullopt;
    return fmt::format(
        "its folder with layouts contains {} executables, but each step needs at least {}; build {} layouts, "
        "so that a step can be decided although some blocks are disturbed",
        who.layouts.size(), needed, recommended_layouts);
}

/// Returns true if the interval of `own` contains a value that is at least this part of a value in the
/// interval of `total`. The values are ratios below 1.
bool reaches(const estimate& own, double part, const estimate& total) {
    return std::log(own.low.value_or(own.median)) <= part * std::log(total.high.value_or(total.median));
}

}  // namespace

bisect_run::bisect_run(steps_record& steps, steps_file& file, const bisect_place& place)
    : steps_{steps},
      file_{file},
      place_{place},
      repository_{steps.request.folder, place.stop.fd()},
      builds_{repository_, place.folder, {steps.request.build, steps.request.program}, place.stop.fd()},
      trials_{steps.request, place.folder, place.resumes, place.by, place.stop},
      search_{steps.request.commits.size(), error_of_bisection} {}

int bisect_run::run() {
    const auto& request = steps_.request;
    tell(
        "loopbench: {} candidate commits, about {} steps; the probability that any step is wrong is at most "
        "{:g} %\n",
        request.commits.size(), search_.steps_left(), 100 * error_of_bisection);
    const auto &good = require_program(request.good, "GOOD"), &bad = require_program(request.bad(), "BAD");
    for (const auto* who : {&good, &bad})
        if (const auto why = problem_of_layouts(*who, good, search_.error_of_next()))
            throw usage_error{"{}: {}", who->name, *why};
    if (!good.layouts.empty() && good.layouts.size() < recommended_layouts)
        tell(
            "loopbench: note: with {} layouts, a disturbed block can leave a step undecided; build {} "
            "layouts\n",
            good.layouts.size(), recommended_layouts);
    tell("loopbench: comparing GOOD ({}) with BAD ({})\n", good.name, bad.name);
    const auto first = trials_.compare(first_session, good, bad, request.workloads);
    result_.page = trials_.write_report(first).native();
    result_.unmatched = first.plan.unmatched.value_or(std::vector<unmatched_benchmark>{});
    if (!is_slower(first)) {
        explain_no_slowdown(first);
        return conclude();
    }
    search(first);
    conclude_search();
    return conclude();
}

void bisect_run::conclude_search() {
    const auto& steps = steps_.steps;
    if (search_.first() == search_.last()) {
        if (steps_.request.commits.size() > 1) return compare_with_predecessor();
        result_.own = result_.total;
        return set(bisect_outcome::found, {});
    }
    if (!search_.is_given_up())
        return set(bisect_outcome::several, "all of them except the last were skipped or are undecided");
    if (steps.back().verdict == commit_verdict::undecided)
        return set(bisect_outcome::several,
                   fmt::format("the search ended after {} undecided commits", commit_search::undecided_max));
    set(bisect_outcome::several,
        fmt::format("the search ended after {} commits in a row that could not be measured ({})",
                    commit_search::skipped_max, reports::printable(steps.back().reason.value_or(""))));
}

void bisect_run::set(bisect_outcome outcome, std::string reason) {
    result_.outcome = outcome;
    result_.reason = std::move(reason);
}

const contender& bisect_run::program_of(const commit_info& commit) {
    if (const auto known = programs_.find(commit.id); known != programs_.end()) return known->second;
    auto built = builds_.build(commit);
    const auto is_it = [&](const build_line& line) { return line.build == commit.id; };
    if (std::ranges::none_of(steps_.builds, is_it)) {
        steps_.builds.push_back({commit.id, built.seconds, built.failure});
        if (built.is_cached) {
            steps_.builds.back().reused = true;
            tell("loopbench: reuses the build of {}; delete {} to build it again\n", short_id(commit),
                 shell_word(builds_.tree_of(commit).native()));
        }
        file_.add(steps_.builds.back());
    }
    contender who;
    if (built.failure)
        who.problem = "it does not build: " + *built.failure;
    else
        who = trials_.program_in(built.tree, commit);
    return programs_.emplace(commit.id, std::move(who)).first->second;
}

const contender& bisect_run::require_program(const commit_info& commit, std::string_view role) {
    if (!programs_.contains(commit.id)) tell("loopbench: building {}: {}\n", role, text_of(commit));
    const auto& who = program_of(commit);
    if (!who.problem.empty())
        throw std::runtime_error{fmt::format("{} ({}) cannot be measured: {}; its build's output is {}", role,
                                             short_id(commit), who.problem, builds_.log_of(commit).native())};
    return who;
}

/// Stores the slowdown of BAD in the result. Returns false if BAD is not slower, or if this is unknown.
bool bisect_run::is_slower(const compared_commits& first) {
    if (is_unreliable(first.report)) return false;
    for (const auto* item : compared_results(first, steps_.request.metric)) {
        if (item->judged != reports::verdict::slower) continue;
        if (!result_.benchmark.empty()) {
            result_.also_slower.push_back(item->workload);
            continue;
        }
        result_.benchmark = item->workload;
        result_.total = estimate_in(*item);
    }
    return !result_.benchmark.empty();
}

/// Stores the outcome in the result if a program failed or the session is unreliable. Returns true if so.
bool bisect_run::is_without_verdict(const compared_commits& of) {
    for (const auto& each : judge_session(of.report))
        if (each.kind == gate_result_kind::failed) {
            trials_.set_aside(of.folder);
            set(bisect_outcome::failed,
                fmt::format("{} of {}: {}; use --resume to measure it again, or leave the benchmark out with "
                            "--workload",
                            reports::printable(each.workload), each.contender,
                            reports::printable(each.message)));
            return true;
        }
    const auto why = reports::why_unreliable(of.report);
    if (why) set(bisect_outcome::unreliable, *why + "; use a machine with less other work");
    return why.has_value();
}

void bisect_run::explain_no_slowdown(const compared_commits& first) {
    const auto& request = steps_.request;
    if (is_without_verdict(first)) return;
    const auto found = compared_results(first, request.metric);
    const auto missing = missing_result(first, request.metric);
    if (found.empty())
        throw usage_error{
            "no benchmark can be bisected: {}; use another --metric, or --pairing sequential, because "
            "concurrent trials measure only CPU time",
            missing.value_or(fmt::format("none has the metric {} in GOOD", request.metric))};
    const double limit = 1 / (1 + request.threshold_pct / 100);
    const auto is_unclear = [&](const reports::result* item) {
        return item->to_baseline->low.value_or(0) <= limit;
    };
    if (const auto unclear = std::ranges::find_if(found, is_unclear); unclear != found.end())
        return set(
            bisect_outcome::undecided,
            fmt::format("BAD is not significantly slower than GOOD, but a slowdown of more than {:g} % of {} "
                        "is not ruled out{}; use more --blocks",
                        request.threshold_pct, reports::printable((*unclear)->workload),
                        (*unclear)->detectable_pct
                            ? fmt::format(" (smallest detectable difference: {})",
                                          reports::pct_or_factor(*(*unclear)->detectable_pct))
                            : ""));
    if (missing) return set(bisect_outcome::undecided, *missing);
    set(bisect_outcome::no_slowdown,
        fmt::format("BAD is at most {:g} % slower than GOOD", request.threshold_pct));
}

/// Returns for example "step 3 of about 7, 45 s left".
std::string bisect_run::progress_text() const {
    const auto done = steps_.steps.size(), left = search_.steps_left();
    auto text = fmt::format("step {} of about {}", done + 1, done + left);
    if (done == 0) return text;
    elapsed_time spent{0};
    for (const auto& step : steps_.steps) {
        spent += elapsed_time{step.seconds};
        for (const auto& build : steps_.builds)
            if (build.build == step.step) spent += elapsed_time{build.seconds};
    }
    return fmt::format("{}, {} left", text,
                       countdown(spent / static_cast<double>(done) * static_cast<double>(left)));
}

step_line bisect_run::measure_step(const compared_commits& first, std::size_t number) {
    const auto& commit = steps_.request.commits[number];
    const auto progress = progress_text();
    tell("loopbench: {}: {}\n", progress, text_of(commit));
    const auto& program = program_of(commit);
    auto problem = program.problem;
    if (problem.empty())
        problem = problem_of_layouts(program, first.plan.contenders[0], search_.error_of_next()).value_or("");
    if (!problem.empty())
        return {.step = commit.id, .verdict = commit_verdict::skipped, .reason = std::move(problem)};
    return trials_.judge(commit, program, first, result_.benchmark, search_.error_of_next(), progress);
}

void bisect_run::search(const compared_commits& first) {
    const auto& commits = steps_.request.commits;
    for (const auto& step : steps_.steps) {
        const auto number = static_cast<std::size_t>(std::ranges::find(commits, step.step, &commit_info::id) -
                                                     commits.begin());
        if (search_.next() != number)
            throw usage_error{
                "steps.jsonl contains a step about {}, but this version of loopbench would have measured "
                "another commit; begin a new bisection in another folder (-o)",
                short_id(commits[number])};
        search_.take(number, step.verdict);
    }
    while (const auto next = search_.next()) {
        auto step = measure_step(first, *next);
        place_.stop.throw_if_requested();
        tell("loopbench: {}{}\n", text_of(step.verdict), step.reason ? ": " + *step.reason : "");
        file_.add(step);
        search_.take(*next, step.verdict);
        steps_.steps.push_back(std::move(step));
    }
    result_.suspects = {search_.first(), search_.last()};
}

void bisect_run::compare_with_predecessor() {
    const auto& commits = steps_.request.commits;
    const auto number = search_.last();
    tell("loopbench: comparing {} with the commit before it\n", text_of(commits[number]));
    const auto &before = require_program(number == 0 ? steps_.request.good : commits[number - 1],
                                         "the commit before the slower one"),
               &own = require_program(commits[number], "the slower commit");
    const auto last = trials_.compare_one(last_session, before, own, result_.benchmark);
    result_.page = trials_.write_report(last).native();
    judge_confirmation(last);
}

/// The steps alone can name a wrong commit. Therefore the commit must be significantly slower than the one
/// before it, by a large part of the whole slowdown.
void bisect_run::judge_confirmation(const compared_commits& last) {
    const auto& metric = steps_.request.metric;
    const auto compared = "its direct comparison with " + last.plan.contenders[0].name;
    const auto* const item = result_of(last, 1, result_.benchmark, metric);
    if (item != nullptr && item->to_baseline) result_.own = estimate_in(*item);
    if (is_without_verdict(last)) return;
    if (!result_.own)
        return set(bisect_outcome::unconfirmed, fmt::format("{} has no value of {}", compared, metric));
    if (item->judged != reports::verdict::slower)
        return set(bisect_outcome::unconfirmed,
                   fmt::format("{} shows no significant slowdown of {}; bisect again with more --blocks",
                               compared, reports::printable(result_.benchmark)));
    if (!reaches(*result_.own, least_part_of_slowdown, *result_.total))
        return set(
            bisect_outcome::unconfirmed,
            fmt::format("it is only {} in {}, and BAD is {}; several commits can be slower, or a step was "
                        "wrong; bisect again with more --blocks",
                        difference_text(metric, *result_.own, last.plan.contenders[0].name),
                        reports::printable(result_.benchmark),
                        difference_text(metric, *result_.total, "GOOD")));
    set(bisect_outcome::found, {});
}

/// Prints the result before it writes the file, so that the user sees it even if the disk is full.
int bisect_run::conclude() {
    const auto file = place_.folder / "bisect.json";
    const auto text = reports::dump(json_of(steps_, result_, place_.by.words), 1) + "\n";
    std::optional<reports::file_error> unseen;
    try {
        reports::write_standard_output(place_.as_json
                                           ? text
                                           : fmt::format("{}reports: {}, {}\n", text_of(steps_, result_),
                                                         reports::printable(file.native()),
                                                         reports::printable(result_.page)));
    } catch (const reports::file_error& error) {
        unseen = error;
    }
    reports::write_file_atomically(file, text);
    if (unseen) throw *unseen;
    return exit_code_of(result_.outcome);
}

}  // namespace loopbench::bench
