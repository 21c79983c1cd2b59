// Compares samples by their shift, because samples of two sessions do not form pairs.
#include "bench/harness/gate/compare_reports.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/catalog/workload_table.hpp"
#include "bench/harness/gate/conditions.hpp"
#include "bench/harness/gate/gate_result.hpp"
#include "bench/harness/statistics/rank_test.hpp"
#include "bench/harness/statistics/verdict.hpp"
#include "bench/harness/summary/difference_text.hpp"
#include "bench/harness/summary/self_check.hpp"
#include "bench/harness/summary/summary.hpp"
#include "reports/model/metrics.hpp"
#include "reports/model/report_index.hpp"

namespace loopbench::bench {

namespace {

using reports::report;
using reports::report_index;
using reports::result;

std::vector<double> log_speeds(const result& item) {
    const std::vector<std::optional<double>> ones(item.samples.size(), 1.0);
    return paired_log_ratios(item.samples, ones, item.better);
}

std::vector<double> log_speeds(const report_index& in, const result& item, bool to_baseline) {
    return to_baseline ? log_ratios_of(item, *in.baseline(item.workload, item.metric)) : log_speeds(item);
}

struct compared {
    const result* now;
    bool to_baseline;
    std::vector<double> before, after;
};

/// Returns true if too many trials of the workload were disturbed in one of the two sessions.
bool is_disturbed(const report_index& then, const report_index& now, std::string_view workload) {
    return reports::is_disturbed(then.whole(), workload) || reports::is_disturbed(now.whole(), workload);
}

std::vector<compared> both_of(const report_index& then, const report_index& now, measured_by whom) {
    std::vector<compared> all;
    const auto& baseline = now.whole().baseline;
    for (const auto& item : now.whole().results) {
        const bool is_shown = whom == measured_by::third_party && item.metric == "cpu";
        if (!item.median || !(now.is_about(item) || is_shown) ||
            !why_incomparable(item.workload, item.metric).empty() || is_disturbed(then, now, item.workload))
            continue;
        const auto* const old = then.number(item.workload, item.contender, item.metric);
        if (old == nullptr || old->made != item.made) continue;
        const bool to_baseline = then.whole().baseline == baseline && item.contender != baseline &&
                                 then.baseline(item.workload, item.metric) != nullptr &&
                                 now.baseline(item.workload, item.metric) != nullptr;
        if (!to_baseline && item.metric != "time" && !is_shown) continue;
        compared both{&item, to_baseline, log_speeds(then, *old, to_baseline),
                      log_speeds(now, item, to_baseline)};
        if (!both.before.empty() && !both.after.empty()) all.push_back(std::move(both));
    }
    return all;
}

/// The largest factor by which the baseline's time can change between two sessions on one machine. A larger
/// change means another machine, on which ratios also change, because it can slow down one contender by a
/// third and others by half or not at all (reports/evidence/layouts at commit fa0c6b8, the 18th pair of
/// reports).
constexpr double most_moved = 1.2;

std::map<std::string_view, double> on_other_machines(const report_index& then, const report_index& now,
                                                     std::span<const compared> all) {
    std::map<std::string_view, double> found;
    for (const auto& item : all) {
        if (!item.to_baseline || item.now->metric != "time") continue;
        const std::string_view workload = item.now->workload;
        const auto before = log_speeds(*then.baseline(workload)), after = log_speeds(*now.baseline(workload));
        if (before.empty() || after.empty()) continue;  // the report has no samples, only ratios of rounds
        const double shift = shift_between(before, after).median;
        if (std::abs(shift) > std::log(most_moved)) found.emplace(workload, shift);
    }
    return found;
}

/// Returns the result of the first primary metric that has a value in `then` and can be compared. If the new
/// report has no such result, the contender of `of` cannot pass (judge_gate).
const result* has_to_be_known(const report_index& then, const result& of) {
    for (const auto& metric : then.headline(of.workload))
        if (const auto* const found = then.number(of.workload, of.contender, metric);
            found != nullptr && why_incomparable(of.workload, metric).empty())
            return found;
    return nullptr;
}

/// Returns a result of the same metric without numbers. Copies the metric's properties, because a metric from
/// a later version of loopbench is unknown here.
result without_numbers(const result& like) {
    result lost;
    lost.workload = like.workload;
    lost.contender = like.contender;
    lost.metric = like.metric;
    lost.unit = like.unit;
    lost.better = like.better;
    return lost;
}

/// Returns the results that are not compared, each with a reason. These are the results of `then` without
/// which a contender cannot pass, and the results of `now` that failed or were not reached.
std::vector<result> without_comparison(const report_index& then, const report_index& now,
                                       std::span<const compared> kept,
                                       const std::map<std::string_view, double>& moved) {
    using cell = std::pair<std::string_view, std::string_view>;
    std::set<std::string_view> workloads;
    std::map<cell, std::set<std::string_view>> compared;
    std::set<cell> seen;
    for (const auto& item : kept) {
        compared[{item.now->workload, item.now->contender}].insert(item.now->metric);
        workloads.insert(item.now->workload);
    }
    const auto& baseline = now.whole().baseline;
    std::vector<result> all;
    for (const auto& old : then.whole().results) {
        if (!old.median || !then.is_about(old) || !seen.emplace(old.workload, old.contender).second) continue;
        const auto others = compared.find({old.workload, old.contender});
        const auto* const first = has_to_be_known(then, old);
        const bool has_others = others != compared.end();
        if (has_others && (first == nullptr || others->second.contains(first->metric))) continue;
        // Uses the metric `time`, because a contender without numbers on a workload has only this result
        // there.
        auto lost = has_others
                        ? without_numbers(*first)
                        : reports::result_of(old.workload, old.contender, *reports::find_metric("time"));
        const auto* next = now.find(old.workload, old.contender, lost.metric);
        // The baseline itself does not have to be compared if other contenders are compared with it.
        if (next != nullptr && next->median && then.whole().baseline == baseline &&
            old.contender == baseline && workloads.contains(old.workload))
            continue;
        if (has_others)
            lost.judged = reports::verdict::inconclusive;
        else
            lost.status = reports::result_status::unsupported;
        if (next == nullptr) {
            lost.reason = "the new report does not contain the result";
        } else if (next->median && next->made != old.made) {
            lost.reason = fmt::format(
                "{}; measure both with the same pairing (every workload supports `--pairing sequential`)",
                made_otherwise(old.made, next->made));
        } else if (next->median && is_disturbed(then, now, old.workload)) {
            lost.reason =
                "other programs disturbed more than half of the trials of one of the two sessions; measure "
                "again on a quieter machine";
        } else if (const auto other = moved.find(old.workload); other != moved.end()) {
            lost.reason = fmt::format(
                "the baseline {} is {} times as {} as before, so the reports might come from different "
                "machines; let `loopbench compare` run both builds in one session",
                baseline, times_text(std::exp(std::abs(other->second))), other->second < 0 ? "slow" : "fast");
        } else if (next->status == reports::result_status::ok) {
            lost.reason = next->reason.value_or(fmt::format(
                "primary metrics ({}) cannot be compared across two sessions; let `loopbench compare` run "
                "both builds in one session",
                has_others ? lost.metric : fmt::format("{}", fmt::join(then.headline(old.workload), ", "))));
        } else {
            lost.status = next->status;
            lost.reason = next->reason;
        }
        all.push_back(std::move(lost));
    }
    for (const auto& [which, metrics] : compared) seen.insert(which);
    for (const auto& item : now.whole().results)
        if ((item.status == reports::result_status::failed ||
             item.status == reports::result_status::not_run) &&
            seen.emplace(item.workload, item.contender).second)
            all.push_back(item);
    return all;
}

/// Returns the smallest detectable difference: the sum of the threshold, half of the interval's width and
/// 0.84 standard errors. This sum has a power of 80 % (H. Bloom, "Minimum Detectable Effects", Evaluation
/// Review 19, 1995).
std::optional<double> detectable_pct(const estimate& shift, double threshold, double level) {
    if (!shift.low || !shift.high) return std::nullopt;
    const boost::math::normal_distribution<double> normal;
    const double reach = (*shift.high - *shift.low) / 2;
    const double standard_error = reach / quantile(normal, (1 + level) / 2);
    return 100 * std::expm1(threshold + reach + standard_error * quantile(normal, 0.8));
}

}  // namespace

report compare_reports(const report& then, const report& now, double threshold_pct, measured_by whom) {
    const report_index before_index{then}, now_index{now};
    auto all = both_of(before_index, now_index, whom);
    const auto moved = on_other_machines(before_index, now_index, all);
    std::erase_if(all, [&](const compared& item) { return moved.contains(item.now->workload); });
    std::map<std::string_view, std::size_t> comparisons;
    for (const auto& item : all) ++comparisons[item.now->metric];
    const double threshold = std::log1p(threshold_pct / 100);
    auto found = now;
    found.complete = true;  // so that the copy has no warning of its own; the caller warns of incomplete runs
    found.results.clear();
    // The caller of a third-party comparison has set it.
    if (whom == measured_by::loopbench) found.unmatched.reset();
    found.causes.reset();  // those of the new report belong to another comparison
    found.hosts.reset();   // the intervals already include the differences between hosts
    found.warnings = other_conditions(then, now);
    found.judged_by = {"bonferroni", threshold_pct, comparisons["time"]};
    for (const auto& [item, to_baseline, before, after] : all) {
        const double level = 1 - (1 - default_level) / static_cast<double>(comparisons[item->metric]);
        const auto shown = exponentiated(shift_between(before, after));
        const auto shift = shift_between(before, after, level);
        auto& next = found.results.emplace_back(*item);
        next.to_baseline = reports::ratio{"before", shown.median, shown.low, shown.high};
        next.from_baseline.reset();
        next.by_host.reset();
        next.judged = zone_of(shift, threshold);
        next.detectable_pct.reset();
        if (!is_difference(next.judged)) next.detectable_pct = detectable_pct(shift, threshold, level);
    }
    const auto has_no_interval = [](const result& item) {
        return item.to_baseline && !item.to_baseline->low;
    };
    if (whom == measured_by::third_party && std::ranges::any_of(found.results, has_no_interval))
        found.warnings.push_back(
            {std::string{too_few_repetitions},
             "some benchmarks have too few repetitions in the two files for an interval, "
             "so their ratios have no verdict",
             std::string{for_more_repetitions}});
    const auto differs = [](const result& item) { return is_difference(item.judged); };
    if (std::ranges::any_of(found.results, differs))
        found.warnings.push_back(
            {"two_sessions",
             "the reports are from two sessions: differences between sessions (the machine's state, the "
             "placement of code and memory) cannot be separated from differences between the builds",
             "let `loopbench compare` run the two executables in one session, in pairs"});
    std::ranges::move(without_comparison(before_index, now_index, all, moved),
                      std::back_inserter(found.results));
    found.baseline = "before";
    const bool then_is_unknown = then.aa && then.aa->found == reports::reliability::unknown;
    if (is_unreliable(then) || (then_is_unknown && !is_unreliable(now))) found.aa = then.aa;
    return found;
}

}  // namespace loopbench::bench
