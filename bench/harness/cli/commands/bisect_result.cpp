#include "bench/harness/cli/commands/bisect_result.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "bench/harness/machine/environment.hpp"
#include "bench/harness/summary/difference_text.hpp"
#include "reports/base/json_fields.hpp"
#include "reports/render/columns.hpp"
#include "reports/render/terminal/fixed_width.hpp"

namespace loopbench::bench {

namespace {

using nlohmann::ordered_json;

const commit_info& commit_before(const steps_record& steps, std::size_t number) {
    return number == 0 ? steps.request.good : steps.request.commits[number - 1];
}

std::vector<std::string> only_in(const commit_info& commit, const bisect_result& result) {
    std::vector<std::string> names;
    for (const auto& each : result.unmatched)
        if (each.contender == short_id(commit)) names.push_back(each.workload);
    return names;
}

/// Returns for example "BM_parse", or "rss_peak of BM_parse".
std::string measured_thing(const steps_record& steps, const bisect_result& result) {
    const auto name = reports::printable(result.benchmark);
    return steps.request.metric == "time" ? name : fmt::format("{} of {}", steps.request.metric, name);
}

constexpr std::size_t suspects_shown = 10;

std::string suspects_not_shown(const bisect_result::range& all) {
    const auto count = all.last - all.first + 1;
    return count > suspects_shown ? fmt::format(" and {} more", count - suspects_shown) : "";
}

/// Returns the hashes of the first suspects, separated by commas.
std::string hashes_of_suspects(const steps_record& steps, const bisect_result::range& all) {
    std::vector<std::string> shown;
    for (auto i = all.first; i <= all.last && shown.size() < suspects_shown; ++i)
        shown.push_back(short_id(steps.request.commits[i]));
    return fmt::format("{}{}", fmt::join(shown, ", "), suspects_not_shown(all));
}

/// Returns a line for each of the first suspects.
std::string list_of_suspects(const steps_record& steps, const bisect_result& result) {
    if (result.outcome != bisect_outcome::several) return {};
    const auto& all = *result.suspects;
    std::string text;
    for (auto i = all.first; i <= all.last && i < all.first + suspects_shown; ++i)
        text += fmt::format("  {}\n", text_of(steps.request.commits[i]));
    const auto more = suspects_not_shown(all);
    return more.empty() ? text : fmt::format("{} {} (bisect.json names all)\n", text, more);
}

/// Returns a note if the commit's slowdown is significantly smaller than the whole, and below 80 % of it.
std::string rest_of_slowdown(const steps_record& steps, const bisect_result& result) {
    constexpr double most = 0.8;
    const auto &own = result.own, &total = result.total;
    if (!own || !total || result.outcome != bisect_outcome::found) return {};
    const bool is_smaller = own->low && total->high && *own->low > *total->high;
    if (!is_smaller || std::log(own->median) < most * std::log(total->median)) return {};
    std::vector<std::string> halves;
    if (result.suspects->last + 1 < steps.request.commits.size())
        halves.push_back("GOOD = " + short_id(steps.request.commits[result.suspects->last]));
    if (result.suspects->first > 0)
        halves.push_back("BAD = " + short_id(commit_before(steps, result.suspects->first)));
    return fmt::format(
        "NOTE: the whole slowdown is larger, so other commits are slower, too; bisect again with {}.\n",
        fmt::join(halves, ", or with "));
}

/// Returns for example "Only in GOOD: BM_sort (removed or renamed?); not compared.".
std::string unmatched_text(const steps_record& steps, const bisect_result& result) {
    std::string text;
    for (const auto& [role, change, commit] : {std::tuple{"GOOD", "removed", &steps.request.good},
                                               std::tuple{"BAD", "added", &steps.request.bad()}})
        if (const auto names = only_in(*commit, result); !names.empty())
            text += fmt::format("Only in {}: {} ({} or renamed?); not compared.\n", role,
                                reports::printable(fmt::format("{}", fmt::join(names, ", "))), change);
    return text;
}

std::string next_steps_of(const steps_record& steps, const bisect_result& result) {
    if (result.outcome != bisect_outcome::found) return {};
    const auto& culprit = steps.request.commits[result.suspects->last];
    const auto id = short_id(culprit);
    auto text = fmt::format("NEXT: git show {}\n", id);
    if (culprit.parents > 1)
        text += fmt::format(
            "NEXT: it is a merge; find the commit of the merged branch with GOOD = \"$(git merge-base {0}^1 "
            "{0}^2)\" and BAD = {0}^2\n",
            id);
    return text;
}

std::string ratio_to_good(const steps_record& steps, const std::optional<double>& ratio) {
    return ratio ? brief_difference(steps.request.metric, {*ratio, {}, {}}) : "";
}

using table_row = std::vector<std::string>;

std::string subject_in_table(const commit_info& commit) {
    constexpr std::size_t columns_max = 38;
    return reports::clipped(reports::printable(commit.subject), columns_max);
}

table_row row_of(const steps_record& steps, std::size_t number, const bisect_result& result) {
    const auto& commit = steps.request.commits[number];
    const auto subject = subject_in_table(commit);
    const auto found = std::ranges::find(steps.steps, commit.id, &step_line::step);
    if (found == steps.steps.end()) {
        const auto total = result.total ? std::optional{result.total->median} : std::nullopt;
        return {"BAD", short_id(commit), "slower", ratio_to_good(steps, total), "", subject};
    }
    return {fmt::format("{}", found - steps.steps.begin() + 1),
            short_id(commit),
            std::string{text_of(found->verdict)},
            ratio_to_good(steps, found->ratio),
            found->blocks > 0 ? fmt::format("{}", found->blocks) : "",
            subject};
}

std::string reasons_text(const steps_record& steps) {
    std::string text;
    for (const auto& step : steps.steps)
        if (step.reason)
            text += fmt::format("skipped {}: {}\n", step.step.substr(0, short_id(steps.request.good).size()),
                                reports::printable(*step.reason));
    return text;
}

std::string table_of(const steps_record& steps, const bisect_result& result) {
    std::vector<table_row> rows{{"step", "commit", "verdict", "than GOOD", "blocks", "subject"}};
    const auto& good = steps.request.good;
    rows.push_back({"GOOD", short_id(good), "", "", "", subject_in_table(good)});
    const auto& commits = steps.request.commits;
    for (std::size_t i = 0; i < commits.size(); ++i)
        if (i + 1 == commits.size() ||
            std::ranges::find(steps.steps, commits[i].id, &step_line::step) != steps.steps.end())
            rows.push_back(row_of(steps, i, result));
    return reports::aligned(rows, rows.front().size());
}

std::string builds_text(const steps_record& steps) {
    const auto count = [&](auto is_it) { return std::ranges::count_if(steps.builds, is_it); };
    const auto reused = count([](const build_line& each) { return each.reused.value_or(false); });
    const auto failed = count([](const build_line& each) { return each.failure.has_value(); });
    auto text = fmt::format("{}", static_cast<std::ptrdiff_t>(steps.builds.size()) - reused);
    if (failed > 0) text += fmt::format(" ({} failed)", failed);
    return reused > 0 ? fmt::format("{}, and {} of an earlier bisection", text, reused) : text;
}

ordered_json to_json(const std::optional<estimate>& ratio) {
    if (!ratio) return nullptr;
    return {{"median", reports::number_or_null(ratio->median)},
            {"low", reports::number_or_null(ratio->low)},
            {"high", reports::number_or_null(ratio->high)}};
}

}  // namespace

std::string_view text_of(commit_verdict found) {
    constexpr std::array<std::string_view, 4> texts{"slower", "not slower", "undecided", "skipped"};
    return texts[static_cast<std::size_t>(found)];
}

exit_code exit_code_of(bisect_outcome outcome) {
    constexpr std::array codes{exit_regression,   exit_inconclusive, exit_inconclusive, exit_ok,
                               exit_inconclusive, exit_unreliable,   exit_tool_failed};
    return codes[static_cast<std::size_t>(outcome)];
}

std::string verdict_of(const steps_record& steps, const bisect_result& result) {
    const auto& suspects = result.suspects;
    const auto last = suspects ? text_of(steps.request.commits[suspects->last]) : "";
    const auto but =
        suspects ? fmt::format("the steps lead to {}, but {}", last, result.reason) : result.reason;
    switch (result.outcome) {
        case bisect_outcome::found:
            return fmt::format("FOUND: {} made {} {}", last, measured_thing(steps, result),
                               difference_text(steps.request.metric, *result.own,
                                               short_id(commit_before(steps, suspects->first))));
        case bisect_outcome::several:
            return fmt::format("ONE OF THESE made {} slower: {}; {}", measured_thing(steps, result),
                               hashes_of_suspects(steps, *suspects), result.reason);
        case bisect_outcome::no_slowdown:
            return "NO SLOWDOWN: " + result.reason;
        case bisect_outcome::unconfirmed:
        case bisect_outcome::undecided:
            return "UNDECIDED: " + but;
        case bisect_outcome::unreliable:
            return "UNRELIABLE: " + but;
        case bisect_outcome::failed:
            return "FAILED: " + but;
    }
    return {};
}

std::string text_of(const steps_record& steps, const bisect_result& result) {
    auto text = verdict_of(steps, result) + ".\n" + list_of_suspects(steps, result);
    if (result.total)
        text +=
            fmt::format("In all, BAD is {}.\n", difference_text(steps.request.metric, *result.total, "GOOD"));
    if (!result.also_slower.empty())
        text += fmt::format("Also slower in BAD: {}.\n",
                            reports::printable(fmt::format("{}", fmt::join(result.also_slower, ", "))));
    text += unmatched_text(steps, result);
    text += rest_of_slowdown(steps, result) + next_steps_of(steps, result);
    if (!steps.steps.empty()) text += "\n" + table_of(steps, result) + reasons_text(steps) + "\n";
    return text + fmt::format("builds: {}\n", builds_text(steps));
}

ordered_json json_of(const steps_record& steps, const bisect_result& result,
                     const std::vector<std::string>& command) {
    auto suspects = ordered_json::array(), done = ordered_json::array(), builds = ordered_json::array();
    if (result.suspects)
        for (auto i = result.suspects->first; i <= result.suspects->last; ++i)
            suspects.push_back(reports::value_of(steps.request.commits[i]));
    for (const auto& step : steps.steps) done.push_back(bench::to_json(step));
    for (const auto& build : steps.builds) builds.push_back(bench::to_json(build));
    return {{"schema", reports::bisect_format.schema},
            {"version", loopbench_version()},
            {"command", command},
            {"outcome", reports::name_of(result.outcome)},
            {"verdict", verdict_of(steps, result)},
            {"reason", result.reason.empty() ? ordered_json(nullptr) : ordered_json(result.reason)},
            {"error", error_of_bisection},
            {"benchmark", result.benchmark.empty() ? ordered_json(nullptr) : ordered_json(result.benchmark)},
            {"metric", steps.request.metric},
            {"good", reports::value_of(steps.request.good)},
            {"bad", reports::value_of(steps.request.bad())},
            {"commits", steps.request.commits.size()},
            {"total", to_json(result.total)},
            {"suspects", std::move(suspects)},
            {"own", to_json(result.own)},
            {"also_slower", result.also_slower},
            {"only_in_good", only_in(steps.request.good, result)},
            {"only_in_bad", only_in(steps.request.bad(), result)},
            {"page", result.page},
            {"steps", std::move(done)},
            {"builds", std::move(builds)}};
}

}  // namespace loopbench::bench
