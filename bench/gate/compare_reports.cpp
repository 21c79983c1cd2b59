// Shifts between samples that are no pairs.
#include "bench/gate/compare_reports.hpp"

#include <fmt/format.h>

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

#include "bench/gate/conditions.hpp"
#include "bench/statistics/rank_test.hpp"
#include "bench/statistics/verdict.hpp"

namespace loopbench::bench {

namespace {

using reports::report;
using reports::result;
using reports::verdict;

/// The results for `time` of a report, by workload and contender.
class times_of {
public:
    explicit times_of(const report& in) : baseline_{in.baseline} {
        for (const auto& item : in.results)
            if (item.metric == "time") all_.try_emplace({item.workload, item.contender}, &item);
    }
    [[nodiscard]] const result* any(std::string_view workload, std::string_view contender) const {
        const auto found = all_.find({workload, contender});
        return found == all_.end() ? nullptr : found->second;
    }
    [[nodiscard]] const result* measured(std::string_view workload, std::string_view contender) const {
        const auto* const found = any(workload, contender);
        return found != nullptr && found->median ? found : nullptr;
    }
    [[nodiscard]] const result* baseline(std::string_view workload) const {
        return measured(workload, baseline_);
    }

private:
    std::string_view baseline_;
    std::map<std::pair<std::string_view, std::string_view>, const result*> all_;
};

/// Above 0 is better: the logarithms of baseline over time, or of 1 over time.
std::vector<double> log_speeds(const times_of& in, const result& item, bool to_baseline) {
    if (to_baseline) return paired_log_ratios(in.baseline(item.workload)->samples, item.samples);
    const std::vector<std::optional<double>> ones(item.samples.size(), 1.0);
    return paired_log_ratios(ones, item.samples);
}

struct compared {
    const result* now;
    bool to_baseline;
    std::vector<double> before, after;
};

std::vector<compared> both_of(const times_of& old_times, const times_of& new_times, const report& then,
                              const report& now) {
    std::vector<compared> all;
    for (const auto& item : now.results) {
        const auto* old = item.metric == "time" && item.median
                              ? old_times.measured(item.workload, item.contender)
                              : nullptr;
        if (old == nullptr || old->made != item.made) continue;
        const bool to_baseline = then.baseline == now.baseline && item.contender != now.baseline &&
                                 old_times.baseline(item.workload) != nullptr &&
                                 new_times.baseline(item.workload) != nullptr;
        compared both{&item, to_baseline, log_speeds(old_times, *old, to_baseline),
                      log_speeds(new_times, item, to_baseline)};
        if (!both.before.empty() && !both.after.empty()) all.push_back(std::move(both));
    }
    return all;
}

/// From here on the machine of one session is not that of the other. What makes one contender slower by a
/// third makes the next one slower by nothing or by half then, so that ratios move, too
/// (reports/evidence/layouts, the 18th pair of reports).
constexpr double most_moved = 1.2;

/// The workloads whose baseline moved by more than that between the sessions, with by how many times.
std::map<std::string_view, double> on_other_machines(const times_of& old_times, const times_of& new_times,
                                                     std::span<const compared> all) {
    std::map<std::string_view, double> found;
    for (const auto& item : all) {
        if (!item.to_baseline) continue;
        const std::string_view workload = item.now->workload;
        const auto before = log_speeds(old_times, *old_times.baseline(workload), false);
        const auto after = log_speeds(new_times, *new_times.baseline(workload), false);
        const double moved = std::exp(std::abs(shift_between(before, after).median));
        if (moved > most_moved) found.emplace(workload, moved);
    }
    return found;
}

/// Cells that had a time and have none that could be compared: with their status and reason.
std::vector<result> lost_from(const report& then, const times_of& new_times, std::span<const compared> kept,
                              const std::map<std::string_view, double>& moved) {
    std::set<std::pair<std::string_view, std::string_view>> seen;
    for (const auto& item : kept) seen.emplace(item.now->workload, item.now->contender);
    std::vector<result> all;
    for (const auto& old : then.results) {
        if (old.metric != "time" || !old.median || seen.contains({old.workload, old.contender})) continue;
        const auto* next = new_times.any(old.workload, old.contender);
        auto& lost = all.emplace_back(next != nullptr ? *next : old);
        if (next == nullptr) lost.reason = "it is not in the new report";
        if (next != nullptr && next->median && next->made != old.made) {
            lost.status = reports::cell_status::unsupported;
            lost.reason =
                fmt::format("{}; measure both in one way (--way)", made_otherwise(old.made, next->made));
        } else if (const auto other = moved.find(old.workload); next != nullptr && other != moved.end()) {
            lost.status = reports::cell_status::unsupported;
            lost.reason = fmt::format(
                "the baseline itself was {:.2f} times as fast in one session as in the other, so that the "
                "machine "
                "was not the same; let `loopbench compare` run both builds in one session",
                other->second);
        } else if (next == nullptr || next->status == reports::cell_status::ok) {
            lost.status = reports::cell_status::unsupported;
            lost.reason = lost.reason.value_or("no time of it can be compared");
        }
        lost.samples.clear();
        lost.median = lost.low = lost.high = std::nullopt;
        lost.to_baseline.reset();
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
    const times_of old_times{then}, new_times{now};
    auto all = both_of(old_times, new_times, then, now);
    const auto moved = on_other_machines(old_times, new_times, all);
    std::erase_if(all, [&](const compared& item) { return moved.contains(item.now->workload); });
    const double level = 1 - (1 - default_level) / static_cast<double>(std::max<std::size_t>(all.size(), 1));
    const double threshold = std::log1p(threshold_pct / 100);
    auto found = now;
    found.complete = true;  // whether the runs were is for the caller to say, file by file
    found.results.clear();
    found.warnings = other_conditions(then, now);
    found.judged_by = {"bonferroni", threshold_pct, all.size()};
    for (const auto& [item, to_baseline, before, after] : all) {
        const auto shown = shift_between(before, after), shift = shift_between(before, after, level);
        const auto ratio_at = [](const std::optional<double>& log) {
            return log ? std::optional{std::exp(*log)} : std::nullopt;
        };
        auto& next = found.results.emplace_back(*item);
        next.to_baseline =
            reports::ratio{"before", std::exp(shown.median), ratio_at(shown.low), ratio_at(shown.high)};
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
    std::ranges::move(lost_from(then, new_times, all, moved), std::back_inserter(found.results));
    found.baseline = "before";
    if (then.aa && then.aa->found == reports::fitness::unfit) found.aa = then.aa;
    return found;
}

}  // namespace loopbench::bench
