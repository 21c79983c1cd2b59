#include "bench/harness/gate/judgement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/catalog/workload_table.hpp"
#include "bench/harness/gate/compare_reports.hpp"
#include "bench/harness/summary/difference_text.hpp"
#include "bench/harness/summary/self_check.hpp"
#include "bench/harness/summary/summary.hpp"
#include "reports/model/json.hpp"
#include "reports/model/metrics.hpp"
#include "reports/model/report_index.hpp"
#include "reports/render/columns.hpp"

namespace loopbench::bench {

namespace {

using reports::result;
using reports::result_status;
using reports::verdict;

bool baseline_lacks(const reports::report& report, const result& item) {
    return std::ranges::any_of(report.results, [&](const result& other) {
        return other.contender == report.baseline && other.workload == item.workload &&
               other.metric == "time" && !other.median;
    });
}

gate_result no_number(const result& item) {
    const auto why = item.reason.value_or("unsupported");
    auto found =
        about(item, gate_result_kind::unclear,
              fmt::format("{} has no value to compare: {}; measure the metric, or leave out its workload",
                          item.metric, why));
    found.brief = fmt::format("not compared ({})", reports::shown(why));
    return found;
}

gate_result too_few_samples(const result& item) {
    auto found =
        about(item, gate_result_kind::unclear,
              fmt::format("{} cannot be compared, because a trial has only {} samples; measure longer "
                          "trials (--min-time)",
                          item.metric, *item.max_of));
    found.brief = fmt::format("not compared (only {} samples per trial)", *item.max_of);
    return found;
}

gate_result nothing_of(const result& item, const std::vector<std::string>& metrics) {
    const auto why = item.reason.value_or(
        fmt::format("there is no verdict on the primary metrics ({})", fmt::join(metrics, ", ")));
    auto found =
        about(item, gate_result_kind::unclear, fmt::format("the contender cannot be compared: {}", why));
    found.brief = fmt::format("not compared ({})", why);
    return found;
}

gate_result disturbed(const result& item) {
    auto found = about(item, gate_result_kind::unclear,
                       fmt::format("{} was not judged, because other programs on this machine disturbed more "
                                   "than half of the trials; end these programs, and measure again",
                                   item.metric));
    found.brief = "not judged (more than half of the trials were disturbed)";
    return found;
}

gate_result nothing_of_first(const result& item, const std::string& first, const reports::report_index& in) {
    const auto* const own = in.find(item.workload, item.contender, first);
    auto lost = item;
    lost.metric = first;
    if (reports::is_disturbed(in.whole(), item.workload)) return disturbed(lost);
    lost.reason = own == nullptr ? "the contender does not report this metric"
                                 : own->reason.value_or("no block has a value for both contenders");
    return no_number(lost);
}

std::string of_layouts(const result& item) {
    return item.layout_pct
               ? fmt::format("; layouts of the same code differ by {:.1f} % in time", *item.layout_pct)
               : "";
}

std::string ratio_text(const reports::ratio& ratio, bool is_time) {
    const auto interval = ratio.low && ratio.high ? fmt::format(" ({}× to {}×)", ratio_digits(*ratio.low),
                                                                ratio_digits(*ratio.high))
                                                  : "";
    return fmt::format("{}× {} {}{}", ratio_digits(ratio.median), is_time ? "the speed of" : "as good as",
                       ratio.to, interval);
}

std::string undecided_text(const result& item, bool of_blocks) {
    if (!item.detectable_pct)
        return fmt::format("undecided (too few {})", of_blocks ? "blocks" : "repetitions");
    return fmt::format("undecided (smallest detectable difference {})",
                       reports::pct_or_factor(*item.detectable_pct));
}

std::string_view remedy_of_undecided(const result& item, bool of_blocks) {
    return of_blocks               ? for_narrower_intervals
           : item.to_baseline->low ? for_narrower_intervals_of_repetitions
                                   : for_more_repetitions;
}

gate_result judged_ratio(const result& item, std::optional<double> tolerated_pct, bool of_blocks) {
    const auto& ratio = *item.to_baseline;
    const bool is_time = item.metric == "time";
    const estimate size{ratio.median, ratio.low, ratio.high};
    const auto difference = difference_text(item.metric, size, ratio.to);
    auto found = about(item, gate_result_kind::holds, ratio_text(ratio, is_time));
    found.expected = 1;
    found.measured = ratio.median;
    found.times_as_bad = 1 / ratio.median;
    found.brief = brief_difference(item.metric, size);
    if (item.judged == verdict::slower) {
        found.kind = gate_result_kind::regression;
        found.message = difference + of_layouts(item);
    } else if (tolerated_pct && (!ratio.low || *ratio.low <= 1 / (1 + *tolerated_pct / 100))) {
        found.kind = gate_result_kind::unclear;
        found.message +=
            fmt::format("; {} is not ruled out{}; {}", worsening_above(item.metric, *tolerated_pct),
                        of_layouts(item), remedy_of_undecided(item, of_blocks));
        found.brief = undecided_text(item, of_blocks);
    } else if (item.judged == verdict::faster) {
        found.kind = gate_result_kind::looser;
        found.message = difference;
    }
    return found;
}

/// Returns true if the interval of `item` shows that its distance from zero grew by at most `tolerated_pct`
/// of the baseline's value. `to` is the baseline's result.
bool rules_out(double tolerated_pct, const result& item, const result* to) {
    if (item.judged != verdict::inconclusive) return true;
    const auto& high = item.from_baseline->high;
    return high && to != nullptr && *high <= std::abs(*to->median) * tolerated_pct / 100;
}

gate_result judged_difference(const result& item, const result* to, std::optional<double> tolerated_pct) {
    const auto& difference = *item.from_baseline;
    auto found = about(item, gate_result_kind::holds, distance_text(item.unit, difference));
    found.brief = found.message;
    if (item.judged == verdict::slower) {
        found.kind = gate_result_kind::regression;
    } else if (tolerated_pct && !rules_out(*tolerated_pct, item, to)) {
        found.kind = gate_result_kind::unclear;
        found.message += fmt::format("; {} is not ruled out; {}",
                                     worsening_above(item.metric, *tolerated_pct), for_narrower_intervals);
        found.brief = "undecided (" + found.brief + ")";
    } else if (item.judged == verdict::faster) {
        found.kind = gate_result_kind::looser;
    }
    return found;
}

std::string first_of(const reports::report_index& in, std::string_view workload) {
    const auto& metrics = in.headline(workload);
    const auto found = std::ranges::find_if(metrics, [&](const std::string& metric) {
        return why_incomparable(workload, metric).empty() && in.baseline(workload, metric) != nullptr;
    });
    return found == metrics.end() ? std::string{} : *found;
}

}  // namespace

std::optional<double> tolerated_in(std::string_view metric, std::span<const std::string> headline,
                                   double tolerated_pct) {
    constexpr double twice = 100;
    const auto* const known = reports::find_metric(metric);
    if (known != nullptr && known->judged_by_tolerance) return tolerated_pct;
    if (!headline.empty() && metric == headline.front()) return std::max(tolerated_pct, twice);
    return std::nullopt;
}

std::string worsening_above(std::string_view metric, double tolerated_pct) {
    constexpr double twice = 100;
    if (tolerated_pct >= twice) return fmt::format("a worsening above {:g} times", 1 + tolerated_pct / 100);
    return fmt::format("a {} above {:g} %", metric == "time" ? "slowdown" : "worsening", tolerated_pct);
}

std::optional<std::string> unknown_reliability(const reports::report& report) {
    if (report.aa && report.aa->found != reports::reliability::unknown) return std::nullopt;
    const auto reason = report.aa ? report.aa->reason : std::nullopt;
    return fmt::format(
        "the reliability of the machine is unknown: {}; measure again with more blocks (--blocks)",
        reason.value_or("the baseline has no A/A copy"));
}

bool has_blocks(const reports::report& report) {
    return report.plan.has_value();
}

std::vector<gate_result> judge_session(const reports::report& report) {
    std::vector<gate_result> all;
    for (const auto& item : report.results) {
        if (item.status == result_status::failed) {
            auto& found = all.emplace_back(
                about(item, gate_result_kind::failed, item.reason.value_or("the reason is unknown")));
            found.brief = fmt::format("failed ({})", reports::shown(found.message));
        }
        if (item.status == result_status::not_run) all.push_back(no_number(item));
    }
    if (const auto why = reports::why_unreliable(report))
        all.push_back(about_session(gate_result_kind::unreliable, *why));
    return all;
}

namespace {

/// Replaces failures of the old build by unclear gate results if the new build has a time, because the new
/// build can be the one that repairs the benchmark. Keeps failures of commands, which are no builds.
void excuse_failures_of_base(std::vector<gate_result>& all, const reports::report& report) {
    for (auto& found : all) {
        if (found.kind != gate_result_kind::failed || found.contender != report.baseline ||
            found.workload == "command")
            continue;
        const auto next = std::ranges::find_if(report.results, [&](const result& item) {
            return item.workload == found.workload && item.contender != report.baseline &&
                   item.metric == "time" && item.median;
        });
        if (next == report.results.end()) continue;
        found.kind = gate_result_kind::unclear;
        found.contender = next->contender;
        found.brief =
            fmt::format("not compared (only {} failed: {})", report.baseline, reports::shown(found.message));
        found.message = fmt::format("there is nothing to compare with, because only {} failed: {}",
                                    report.baseline, found.message);
    }
}

}  // namespace

std::vector<gate_result> judge_gate(const reports::report& report, double tolerated_pct) {
    auto all = judge_session(report);
    excuse_failures_of_base(all, report);
    if (is_unreliable(report)) return all;
    if (report.results.empty() && report.unmatched) {
        all.push_back(about_session(
            gate_result_kind::unclear,
            "no benchmark is in both builds, so nothing was compared; rename benchmarks in a change that "
            "contains nothing else"));
        return all;
    }
    if (const auto why = unknown_reliability(report); why && report.aa)
        all.push_back(about_session(gate_result_kind::unclear, *why));
    for (const auto& warning : report.warnings)
        if (warning.code == "waited_together" ||  // CPU time is compared, which lacks the time spent waiting
            warning.code == interrupted_report)   // the run might have stopped before it found a difference
            all.push_back(about_session(gate_result_kind::unclear,
                                        fmt::format("{}; {}", warning.message, warning.remedy)));
    const reports::report_index index{report};
    std::set<std::pair<std::string_view, std::string_view>> seen;
    for (const auto& item : report.results) {
        const auto& metrics = index.headline(item.workload);
        const auto tolerated = [&](const result& each) {
            return tolerated_in(each.metric, metrics, tolerated_pct);
        };
        const auto of_cell = index.judged(item.workload, item.contender);
        const bool is_about_it = std::ranges::find(of_cell, &item) != of_cell.end();
        const bool is_lost = is_about_it && !item.median;  // happens only in a comparison of two reports
        if (item.max_of && item.contender != report.baseline && index.is_about(item))
            all.push_back(too_few_samples(item));
        if (is_lost || (item.status == result_status::unsupported && !baseline_lacks(report, item)))
            all.push_back(no_number(item));
        else if (is_about_it && item.to_baseline)
            all.push_back(judged_ratio(item, tolerated(item), has_blocks(report)));
        else if (is_about_it && item.from_baseline)
            all.push_back(
                judged_difference(item, index.baseline(item.workload, item.metric), tolerated(item)));
        const auto says_something = [&](const result* each) {
            return each->judged != verdict::inconclusive || tolerated(*each);
        };
        const bool is_first = !item.deterministic && seen.emplace(item.workload, item.contender).second;
        const bool is_measured = item.status == result_status::ok && item.contender != report.baseline;
        if (!is_first || !is_measured || baseline_lacks(report, item)) continue;
        const auto first = first_of(index, item.workload);
        if (!first.empty() && std::ranges::find(of_cell, first, &result::metric) == of_cell.end())
            all.push_back(nothing_of_first(item, first, index));
        else if (std::ranges::none_of(of_cell, says_something))
            all.push_back(nothing_of(item, metrics));
    }
    if (all.empty())
        all.push_back(
            about_session(gate_result_kind::unclear, "no contender was compared with the baseline"));
    return all;
}

namespace {

/// Returns sentences about what the verdict cannot know: benchmarks that only one build has, and code
/// placement as a possible cause of a slowdown.
std::string limits_of_verdict(const reports::report& report, gate_outcome outcome) {
    std::string text;
    for (const auto& warning : report.warnings) {
        if (warning.code == "unmatched_benchmarks") {
            auto sentence = warning.message + ".";
            sentence[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence[0])));
            text += " " + sentence;
        }
        if (warning.code == "one_layout" && outcome == gate_outcome::regression)
            text +=
                " Each build has one layout, so code placement can be the cause (see Layouts in "
                "docs/gate.md).";
    }
    return text;
}

}  // namespace

void add_gate(reports::report& report, double tolerated_pct) {
    const auto found = judge_gate(report, tolerated_pct);
    const auto outcome = outcome_of(found);
    report.gate = reports::gate_summary{tolerated_pct, std::string{name_of(outcome)},
                                        verdict_line(found) + limits_of_verdict(report, outcome)};
}

reports::report judged_report_of(const session_record& journal) {
    auto report = report_of(journal);
    const auto& tolerated_pct = journal.plan.tolerated_pct;
    if (tolerated_pct && report.complete && !journal.plan.part) add_gate(report, *tolerated_pct);
    return report;
}

reports::report read_judged_report(const std::string& text, std::string_view name) {
    return is_journal(text) ? judged_report_of(read_journal(text, name)) : reports::read_json(text, name);
}

}  // namespace loopbench::bench
