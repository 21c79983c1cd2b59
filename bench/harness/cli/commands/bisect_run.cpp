#include "bench/harness/cli/commands/bisect_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "bench/harness/cli/session/time_left.hpp"
#include "bench/harness/cli/terminal.hpp"
#include "bench/harness/gate/judgement.hpp"
#include "bench/harness/statistics/sequential_test.hpp"
#include "bench/harness/summary/self_check.hpp"
#include "bench/harness/trial/usage_error.hpp"
#include "reports/base/atomic_file.hpp"
#include "reports/base/posix_io.hpp"
#include "reports/model/json.hpp"
#include "reports/render/columns.hpp"

namespace loopbench::bench {

namespace {

constexpr const char *first_session = "first", *last_session = "last";

/// Returns the results of BAD in the metric that have a ratio to GOOD, the most certain slowdown first.
std::vector<const reports::result*> compared_results(const compared_commits& of, std::string_view metric) {
    std::vector<const reports::result*> found;
    for (const auto& item : of.report.results)
        if (item.contender == of.plan.contenders[1].name && item.metric == metric && item.to_baseline)
            found.push_back(&item);
    std::ranges::sort(found, {}, [](const reports::result* item) {
        return item->to_baseline->high.value_or(item->to_baseline->median);
    });
    return found;
}

estimate estimate_in(const reports::result& item) {
    return {item.to_baseline->median, item.to_baseline->low, item.to_baseline->high};
}

/// Throws usage_error if there are too few layouts for a decision, because a step uses each only once.
void require_enough_layouts(const contender& who, double error) {
    if (const auto needed = fewest_samples(error); !who.layouts.empty() && who.layouts.size() < needed)
        throw usage_error{
            "the folder with layouts contains {} executables, but each step needs at least {}; build more "
            "layouts",
            who.layouts.size(), needed};
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
        "loopbench: {} candidate commits, about {} steps; the probability of a wrong step is at most {:g} % "
        "in "
        "all\n",
        request.commits.size(), search_.steps_left(), 100 * error_of_bisection);
    const auto &good = require_program(request.good, "GOOD"), &bad = require_program(request.bad(), "BAD");
    require_enough_layouts(good, search_.error_of_next());
    tell("loopbench: comparing GOOD ({}) with BAD ({})\n", good.name, bad.name);
    const auto first = trials_.compare(first_session, good, bad, request.workloads);
    result_.page = trials_.write_report(first).native();
    if (!is_slower(first)) {
        explain_no_slowdown(first);
        return conclude();
    }
    search(first);
    if (search_.first() != search_.last()) {
        result_.outcome = bisect_outcome::several;
    } else if (request.commits.size() == 1) {
        result_.outcome = bisect_outcome::found;
        result_.own = result_.total;
    } else {
        compare_with_predecessor();
    }
    return conclude();
}

const contender& bisect_run::program_of(const commit_info& commit) {
    if (const auto known = programs_.find(commit.id); known != programs_.end()) return known->second;
    auto built = builds_.build(commit);
    const auto is_it = [&](const build_line& line) { return line.build == commit.id; };
    if (std::ranges::none_of(steps_.builds, is_it) && !built.is_cached) {
        steps_.builds.push_back({commit.id, built.seconds, built.failure});
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
    tell("loopbench: building {}: {}\n", role, text_of(commit));
    const auto& who = program_of(commit);
    if (!who.problem.empty())
        throw std::runtime_error{fmt::format("{} ({}) cannot be measured: {}; its build's output is {}", role,
                                             short_id(commit), who.problem, builds_.log_of(commit).native())};
    return who;
}

/// Stores the slowdown of BAD in the result. Returns false if there is none, or if it is unknown.
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

void bisect_run::explain_no_slowdown(const compared_commits& first) {
    const auto& request = steps_.request;
    const auto is = [&](bisect_outcome outcome, std::string reason) {
        result_.outcome = outcome;
        result_.reason = std::move(reason);
    };
    const auto found = compared_results(first, request.metric);
    for (const auto& each : judge_session(first.report))
        if (each.kind == gate_result_kind::failed)
            return is(bisect_outcome::failed,
                      fmt::format("{} of {}: {}", each.workload, each.contender, each.message));
    if (const auto why = reports::why_unreliable(first.report))
        return is(bisect_outcome::unreliable, *why + "; use a machine with less other work");
    if (found.empty())
        throw usage_error{
            "no benchmark has the metric {} in both GOOD and BAD; use another --metric, or --pairing "
            "sequential, because concurrent trials measure only CPU time",
            request.metric};
    const double limit = 1 / (1 + request.threshold_pct / 100);
    const auto is_unclear = [&](const reports::result* item) {
        return item->to_baseline->low.value_or(0) <= limit;
    };
    const auto unclear = std::ranges::find_if(found, is_unclear);
    if (unclear == found.end())
        return is(bisect_outcome::no_slowdown,
                  fmt::format("BAD is at most {:g} % slower than GOOD", request.threshold_pct));
    is(bisect_outcome::undecided,
       fmt::format(
           "BAD is not significantly slower than GOOD, but a slowdown of more than {:g} % of {} is not "
           "ruled out{}; use more --blocks",
           request.threshold_pct, reports::printable((*unclear)->workload),
           (*unclear)->detectable_pct ? fmt::format(" (smallest detectable difference: {})",
                                                    reports::pct_or_factor(*(*unclear)->detectable_pct))
                                      : ""));
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
    if (!program.problem.empty())
        return {.step = commit.id, .verdict = commit_verdict::skipped, .reason = program.problem};
    return trials_.judge(commit, program, first, result_.benchmark, search_.error_of_next(), progress);
}

void bisect_run::search(const compared_commits& first) {
    const auto& commits = steps_.request.commits;
    for (const auto& step : steps_.steps)
        search_.take(static_cast<std::size_t>(std::ranges::find(commits, step.step, &commit_info::id) -
                                              commits.begin()),
                     step.verdict);
    while (const auto next = search_.next()) {
        auto step = measure_step(first, *next);
        place_.stop.throw_if_requested();
        tell("loopbench: {}{}\n", text_of(step.verdict), step.reason ? ": " + *step.reason : "");
        file_.add(step);
        search_.take(*next, step.verdict);
        steps_.steps.push_back(std::move(step));
    }
    result_.first_suspect = search_.first();
    result_.last_suspect = search_.last();
}

void bisect_run::compare_with_predecessor() {
    const auto& commits = steps_.request.commits;
    const auto number = search_.last();
    const auto& before = program_of(number == 0 ? steps_.request.good : commits[number - 1]);
    const auto& own = program_of(commits[number]);
    tell("loopbench: comparing {} with the commit before it\n", text_of(commits[number]));
    std::vector<std::string> workloads{result_.benchmark};
    for (const auto& each : result_.also_slower)
        if (std::ranges::find(before.workloads, each) != before.workloads.end() &&
            std::ranges::find(own.workloads, each) != own.workloads.end())
            workloads.push_back(each);
    const auto last = trials_.compare(last_session, before, own, workloads);
    result_.page = trials_.write_report(last).native();
    for (const auto* item : compared_results(last, steps_.request.metric))
        if (item->workload == result_.benchmark) result_.own = estimate_in(*item);
    result_.outcome = bisect_outcome::unconfirmed;
    if (result_.own && result_.own->high.value_or(1) < 1) result_.outcome = bisect_outcome::found;
    if (is_unreliable(last.report)) {
        result_.outcome = bisect_outcome::unreliable;
        result_.reason = fmt::format(
            "{} is the first slower commit, but its comparison with the commit before it "
            "was unreliable; bisect again on a machine with less other work",
            text_of(commits[number]));
    }
}

int bisect_run::conclude() {
    const auto file = place_.folder / "bisect.json";
    const auto text = reports::dump(json_of(steps_, result_, place_.by.words), 1) + "\n";
    reports::write_file_atomically(file, text);
    reports::write_standard_output(
        place_.as_json ? text
                       : fmt::format("{}reports: {}, {}\n", text_of(steps_, result_),
                                     reports::printable(file.native()), reports::printable(result_.page)));
    return exit_code_of(result_.outcome);
}

}  // namespace loopbench::bench
