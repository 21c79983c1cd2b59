// Shifts between samples that are no pairs.
#include "bench/gate/compare_reports.hpp"

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
#include <tuple>
#include <utility>
#include <vector>

#include "bench/gate/conditions.hpp"
#include "bench/statistics/rank_test.hpp"
#include "bench/statistics/verdict.hpp"
#include "bench/summary/summary.hpp"
#include "bench/workloads/table.hpp"
#include "reports/headline.hpp"

namespace loopbench::bench {

namespace {

using reports::report;
using reports::result;
using reports::verdict;

/// The results of a report for what its workloads are about, and for `time`.
class values_of {
public:
    explicit values_of(const report& in) : baseline_{in.baseline} {
        for (const auto& item : in.results)
            all_.try_emplace({item.workload, item.contender, item.metric}, &item);
    }
    [[nodiscard]] const result* any(std::string_view workload, std::string_view contender,
                                    std::string_view metric = "time") const {
        const auto found = all_.find({workload, contender, metric});
        return found == all_.end() ? nullptr : found->second;
    }
    [[nodiscard]] const result* measured(std::string_view workload, std::string_view contender,
                                         std::string_view metric) const {
        const auto* const found = any(workload, contender, metric);
        return found != nullptr && found->median ? found : nullptr;
    }
    [[nodiscard]] const result* baseline(std::string_view workload, std::string_view metric) const {
        return measured(workload, baseline_, metric);
    }

private:
    std::string_view baseline_;
    std::map<std::tuple<std::string_view, std::string_view, std::string_view>, const result*> all_;
};

/// By workload.
using metrics_map = std::map<std::string_view, std::vector<std::string>>;

bool is_about(const metrics_map& headline, const result& item) {
    const auto found = headline.find(item.workload);
    return found != headline.end() && std::ranges::find(found->second, item.metric) != found->second.end();
}

/// The logarithms of 1 over a time; above 0 is better.
std::vector<double> log_speeds(const result& item) {
    const std::vector<std::optional<double>> ones(item.samples.size(), 1.0);
    return item.better == reports::direction::smaller ? paired_log_ratios(ones, item.samples)
                                                      : paired_log_ratios(item.samples, ones);
}

/// The same of ratios to the baseline, or of the values.
std::vector<double> log_speeds(const values_of& in, const result& item, bool to_baseline) {
    return to_baseline ? log_ratios_of(item, *in.baseline(item.workload, item.metric)) : log_speeds(item);
}

struct compared {
    const result* now;
    bool to_baseline;
    std::vector<double> before, after;
};

std::vector<compared> both_of(const values_of& old_values, const values_of& new_values, const report& then,
                              const report& now) {
    const auto headline = reports::headline_metrics_by_workload(now);
    std::vector<compared> all;
    for (const auto& item : now.results) {
        if (!item.median || !is_about(headline, item) ||
            !why_incomparable(item.workload, item.metric).empty())
            continue;
        const auto* const old = old_values.measured(item.workload, item.contender, item.metric);
        if (old == nullptr || old->made != item.made) continue;
        const bool to_baseline = then.baseline == now.baseline && item.contender != now.baseline &&
                                 old_values.baseline(item.workload, item.metric) != nullptr &&
                                 new_values.baseline(item.workload, item.metric) != nullptr;
        if (!to_baseline && item.metric != "time") continue;
        compared both{&item, to_baseline, log_speeds(old_values, *old, to_baseline),
                      log_speeds(new_values, item, to_baseline)};
        if (!both.before.empty() && !both.after.empty()) all.push_back(std::move(both));
    }
    return all;
}

/// From here on the machine of one session is not that of the other. What makes one contender slower by a
/// third makes the next one slower by nothing or by half then, so that ratios move, too
/// (reports/evidence/layouts, the 18th pair of reports).
constexpr double most_moved = 1.2;

/// The workloads whose baseline moved by more than that between the sessions, with the logarithm of
/// how many times as fast it is.
std::map<std::string_view, double> on_other_machines(const values_of& old_values, const values_of& new_values,
                                                     std::span<const compared> all) {
    std::map<std::string_view, double> found;
    for (const auto& item : all) {
        if (!item.to_baseline || item.now->metric != "time") continue;
        const std::string_view workload = item.now->workload;
        // Its middle: where it is not certain that it moved, the ratios are not either.
        const double shift = shift_between(log_speeds(*old_values.baseline(workload, "time")),
                                           log_speeds(*new_values.baseline(workload, "time")))
                                 .median;
        if (std::abs(shift) > std::log(most_moved)) found.emplace(workload, shift);
    }
    return found;
}

/// Cells that had something to compare and have nothing now: with their status and reason.
std::vector<result> lost_from(const report& then, const report& now, const values_of& new_values,
                              std::span<const compared> kept,
                              const std::map<std::string_view, double>& moved) {
    const auto headline = reports::headline_metrics_by_workload(then);
    std::set<std::pair<std::string_view, std::string_view>> seen;
    std::set<std::string_view> workloads;
    for (const auto& item : kept) {
        seen.emplace(item.now->workload, item.now->contender);
        workloads.insert(item.now->workload);
    }
    std::vector<result> all;
    for (const auto& old : then.results) {
        if (!old.median || !is_about(headline, old) || seen.contains({old.workload, old.contender})) continue;
        seen.emplace(old.workload, old.contender);
        const auto* next = new_values.any(old.workload, old.contender);
        // What the others are compared by need not be compared itself.
        if (next != nullptr && next->median && then.baseline == now.baseline &&
            old.contender == now.baseline && workloads.contains(old.workload))
            continue;
        auto& lost = all.emplace_back(next != nullptr ? *next : old);
        lost.metric = "time";
        lost.unit = "ns";
        if (next == nullptr) lost.reason = "it is not in the new report";
        if (next != nullptr && next->median && next->made != old.made) {
            lost.status = reports::cell_status::unsupported;
            lost.reason =
                fmt::format("{}; measure both in one way (--way)", made_otherwise(old.made, next->made));
        } else if (const auto other = moved.find(old.workload); next != nullptr && other != moved.end()) {
            lost.status = reports::cell_status::unsupported;
            lost.reason = fmt::format(
                "{} itself is {:.2f} times as {} as it was, so that the machine may have been another one; "
                "let `loopbench compare` run both builds in one session",
                now.baseline, std::exp(std::abs(other->second)), other->second < 0 ? "slow" : "fast");
        } else if (next == nullptr || next->status == reports::cell_status::ok) {
            lost.status = reports::cell_status::unsupported;
            lost.reason = lost.reason.value_or(fmt::format(
                "of what its workload is about ({}) nothing can be told from two sessions; let `loopbench "
                "compare` run both builds in one",
                fmt::join(headline.at(old.workload), ", ")));
        }
        lost.samples.clear();
        lost.median = lost.low = lost.high = std::nullopt;
        lost.to_baseline.reset();
        lost.from_baseline.reset();
        lost.judged.reset();
        lost.detectable_pct.reset();
    }
    return all;
}

/// Beyond the threshold by the reach of the interval and, for a power of 80 %, 0.84 of its standard errors
/// (H. Bloom, "Minimum Detectable Effects", Evaluation Review 19, 1995).
std::optional<double> detectable_pct(const estimate& shift, double threshold, double level) {
    if (!shift.low || !shift.high) return std::nullopt;
    const boost::math::normal_distribution<double> normal;
    const double reach = (*shift.high - *shift.low) / 2;
    const double standard_error = reach / quantile(normal, (1 + level) / 2);
    return 100 * std::expm1(threshold + reach + standard_error * quantile(normal, 0.8));
}

}  // namespace

report compare_reports(const report& then, const report& now, double threshold_pct) {
    const values_of old_values{then}, new_values{now};
    auto all = both_of(old_values, new_values, then, now);
    const auto moved = on_other_machines(old_values, new_values, all);
    std::erase_if(all, [&](const compared& item) { return moved.contains(item.now->workload); });
    std::map<std::string_view, std::size_t> comparisons;  // by metric, each a family of its own
    for (const auto& item : all) ++comparisons[item.now->metric];
    const double threshold = std::log1p(threshold_pct / 100);
    auto found = now;
    found.complete = true;  // whether the runs were is for the caller to say, file by file
    found.results.clear();
    found.warnings = other_conditions(then, now);
    found.judged_by = {"bonferroni", threshold_pct, comparisons["time"]};
    for (const auto& [item, to_baseline, before, after] : all) {
        const double level = 1 - (1 - default_level) / static_cast<double>(comparisons[item->metric]);
        const auto shown = shift_between(before, after), shift = shift_between(before, after, level);
        const auto ratio_at = [](const std::optional<double>& log) {
            return log ? std::optional{std::exp(*log)} : std::nullopt;
        };
        auto& next = found.results.emplace_back(*item);
        next.to_baseline =
            reports::ratio{"before", std::exp(shown.median), ratio_at(shown.low), ratio_at(shown.high)};
        next.from_baseline.reset();
        next.judged = zone_of(shift, threshold);
        next.detectable_pct.reset();
        if (next.judged == verdict::equivalent || next.judged == verdict::inconclusive)
            next.detectable_pct = detectable_pct(shift, threshold, level);
    }
    const auto differs = [](const result& item) {
        return item.judged == verdict::slower || item.judged == verdict::faster;
    };
    if (std::ranges::any_of(found.results, differs))
        found.warnings.push_back(
            {"two_sessions",
             "each report is of one session, so that what differs from session to session (the machine's "
             "mood, "
             "where code and memory came to lie) cannot be told from what the builds differ in",
             "let `loopbench compare` run the two executables in one session, in pairs"});
    std::ranges::move(lost_from(then, now, new_values, all, moved), std::back_inserter(found.results));
    found.baseline = "before";
    if (then.aa && then.aa->found == reports::fitness::unfit) found.aa = then.aa;
    return found;
}

}  // namespace loopbench::bench
