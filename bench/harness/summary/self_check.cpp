// The check for drift compares the first half of the baseline's blocks with the second half.
#include "bench/harness/summary/self_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/catalog/workload_table.hpp"
#include "bench/harness/statistics/rank_test.hpp"
#include "bench/harness/statistics/sign_test.hpp"
#include "bench/harness/statistics/verdict.hpp"
#include "bench/harness/summary/difference_text.hpp"

namespace loopbench::bench {

namespace {

using reports::reliability;
using reports::verdict;

class self_checker {
public:
    self_checker(const run_plan& plan, const run_outcome& outcome, const sample_table& samples,
                 std::size_t baseline)
        : plan_{plan}, outcome_{outcome}, samples_{samples}, baseline_{baseline} {}

    reports::self_check check() {
        reports::self_check all;
        all.contender = plan_.baseline;
        all.aa_copy = plan_.contenders[*plan_.aa_copy].name;
        for (std::size_t workload = 0; workload < plan_.workloads.size(); ++workload) take(workload, all);
        judge(all);
        find_drift(all);
        if (!deviations_.empty())
            all.spread_pct = 100 * std::expm1(of_a_normal_distribution * median_of(deviations_));
        decide(all);
        return all;
    }

private:
    /// The standard deviation of a normal distribution, divided by its median absolute deviation.
    static constexpr double of_a_normal_distribution = 1.4826;

    const run_plan& plan_;
    const run_outcome& outcome_;
    const sample_table& samples_;
    std::size_t baseline_;
    std::vector<std::vector<double>> pairs_;
    std::vector<std::size_t> workloads_;
    std::vector<double> deviations_;

    /// Returns the metric in which the baseline and its A/A copy are compared on a workload. For a workload
    /// with a fixed schedule, the metric is not `time`, because the time is the same for every contender.
    std::string_view compared_metric(std::size_t workload) const {
        switch (pace_of(plan_.workloads[workload])) {
            case pace::own_load:
                return capacity_metric;
            case pace::same_for_all:
                return "latency_p50";
            case pace::its_own:
                break;
        }
        return "time";
    }

    void take(std::size_t workload, reports::self_check& all) {
        const auto& excluded = outcome_.excluded[workload];
        if (excluded[baseline_] || excluded[*plan_.aa_copy]) return;
        const auto metric = compared_metric(workload);
        auto log_ratios =
            samples_.log_ratios({workload, *plan_.aa_copy, baseline_}, *reports::find_metric(metric));
        if (log_ratios.empty()) return;
        for (const double d : log_ratios) deviations_.push_back(std::abs(d));
        const auto found = ratio_from(log_ratios);
        reports::self_comparison item;
        item.workload = plan_.workloads[workload];
        item.to_itself = {plan_.baseline, found.median, found.low, found.high};
        all.comparisons.push_back(std::move(item));
        pairs_.push_back(std::move(log_ratios));
        workloads_.push_back(workload);
    }

    void judge(reports::self_check& all) const {
        const auto judged =
            judge_all(pairs_, {.threshold_pct = plan_.threshold_pct, .how = correction::benjamini_hochberg});
        for (std::size_t i = 0; i < judged.size(); ++i) {
            all.comparisons[i].judged = judged[i].verdict;
            all.comparisons[i].detectable_pct = judged[i].detectable_pct;
        }
    }

    std::vector<double> log_times(std::size_t workload) const {
        std::vector<double> all;
        const auto& measured = samples_.of({workload, baseline_});
        const auto times = measured.find("time");
        if (times == measured.end()) return all;  // a third-party journal can lack times
        for (const auto& time : times->second)
            if (time && *time > 0) all.push_back(std::log(*time));
        return all;
    }

    void find_drift(reports::self_check& all) const {
        std::vector<double> p_values;
        std::vector<reports::self_comparison*> tested;
        for (std::size_t i = 0; i < all.comparisons.size(); ++i) {
            auto& item = all.comparisons[i];
            const auto times = log_times(workloads_[i]);
            const auto half = times.size() / 2;
            constexpr std::size_t half_min = 4;  // with shorter halves, drift is never significant at 5 %
            if (half < half_min) continue;
            const auto first = std::span{times}.first(half), second = std::span{times}.last(half);
            item.drift_pct = 100 * std::expm1(shift_between(first, second).median);
            p_values.push_back(mann_whitney(first, second));
            tested.push_back(&item);
        }
        const auto corrected = adjusted(p_values, correction::holm);
        for (std::size_t i = 0; i < tested.size(); ++i)
            tested[i]->drifted =
                corrected[i] <= 1 - default_level && std::abs(*tested[i]->drift_pct) > plan_.threshold_pct;
    }

    /// Returns the smallest number of workloads that must differ so that the check finds a difference.
    /// Assumes that each of these workloads has the smallest p-value that its number of pairs allows.
    std::size_t fewest_that_show() const {
        std::size_t pairs = 0;
        for (const auto& one : pairs_) pairs = std::max(pairs, one.size());
        const double least_p = std::min(1.0, 2 * sign_test(pairs, pairs));
        return static_cast<std::size_t>(
            std::ceil(least_p * static_cast<double>(pairs_.size()) / verdict_rule{}.alpha() - 1e-9));
    }

    std::string difference_of(const reports::self_comparison& found, std::size_t index) const {
        const auto& [to, median, low, high, samples] = found.to_itself;
        return fmt::format(
            "the A/A copy of {} is {} on {}", to,
            difference_text(compared_metric(workloads_[index]), {median, low, high}, "the baseline"),
            found.workload);
    }

    /// Returns the reason why most workloads cannot be judged, or nothing if most of them can. If only some
    /// workloads are disturbed, only their verdicts are withdrawn (summary.cpp).
    std::optional<std::string> why_disturbed() const {
        std::size_t measured = 0, disturbed = 0;
        for (std::size_t workload = 0; workload < plan_.workloads.size(); ++workload) {
            const auto& counts = samples_.counts_of(workload);
            if (counts.trials > 0) ++measured;
            if (counts.are_mostly_disturbed()) ++disturbed;
        }
        if (2 * disturbed <= measured) return std::nullopt;
        return fmt::format("more than half of the trials were disturbed on {} of {} workloads", disturbed,
                           measured);
    }

    /// Returns true if the verdicts of the compared workload are withdrawn, because it was mostly disturbed.
    bool is_withdrawn(std::ptrdiff_t index) const {
        return samples_.counts_of(workloads_[static_cast<std::size_t>(index)]).are_mostly_disturbed();
    }

    void decide(reports::self_check& all) const {
        auto wrong = all.comparisons.begin();
        for (; wrong != all.comparisons.end(); ++wrong)
            if (reports::is_difference(wrong->judged) && !is_withdrawn(wrong - all.comparisons.begin()))
                break;
        const auto has_interval = [](const auto& item) { return item.to_itself.low.has_value(); };
        const auto is = [&](reliability found, std::string reason) {
            all.found = found;
            all.reason = std::move(reason);
        };
        if (wrong != all.comparisons.end())
            is(reliability::unreliable,
               difference_of(*wrong, static_cast<std::size_t>(wrong - all.comparisons.begin())));
        else if (all.comparisons.empty())
            is(reliability::unknown,
               fmt::format("{} and its A/A copy have no values to compare", all.contender));
        else if (std::ranges::none_of(all.comparisons, has_interval))
            is(reliability::unknown, "the A/A comparison needs at least six blocks");
        else if (const auto needed = fewest_that_show(); 2 * needed > pairs_.size() + 1)
            is(reliability::unknown, fmt::format("the A/A comparison has too few blocks, so it would find a "
                                                 "difference only if {} of {} workloads differed",
                                                 needed, pairs_.size()));
        else if (const auto why = why_disturbed())
            is(reliability::unreliable, *why);
        else
            all.found = reliability::reliable;
        if (all.found == reliability::reliable && plan_.layout_pairs() > 0)
            all.reason =
                "the A/A comparison covers the machine but not code placement, because the A/A copy uses the "
                "baseline's layouts";
    }
};

}  // namespace

std::optional<reports::self_check> check_self(const run_plan& plan, const run_outcome& outcome,
                                              const sample_table& samples) {
    const auto baseline = plan.baseline_index();
    if (!plan.aa_copy || !baseline) return std::nullopt;
    return self_checker{plan, outcome, samples, *baseline}.check();
}

bool is_unreliable(const reports::report& report) {
    return report.aa && report.aa->found == reliability::unreliable;
}

}  // namespace loopbench::bench
