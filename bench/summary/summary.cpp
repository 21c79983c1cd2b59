// A result for each metric of each cell, then verdicts on all of them together.
#include "bench/summary/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "bench/experiment/samples.hpp"
#include "bench/statistics/median.hpp"
#include "bench/statistics/sign_test.hpp"
#include "bench/statistics/verdict.hpp"
#include "bench/summary/floor_comparison.hpp"
#include "bench/summary/passes.hpp"
#include "bench/summary/self_check.hpp"
#include "bench/summary/warnings.hpp"
#include "bench/trial/parity.hpp"
#include "bench/workloads/table.hpp"
#include "reports/headline.hpp"
#include "reports/json.hpp"

namespace loopbench::bench {

namespace {

using reports::cell_status;

verdict_rule rule_of(const run_plan& plan) {
    verdict_rule rule;
    rule.threshold_pct = plan.threshold_pct;
    rule.how = plan.how;
    return rule;
}

/// A stranger's workload is about what it has.
std::vector<reports::workload> described_workloads(const run_plan& plan, const reports::report& report) {
    const auto usual = reports::headline_metrics_by_workload(report);
    std::vector<reports::workload> all;
    for (const auto& name : plan.workloads) {
        auto& next = all.emplace_back(reports::workload{name, {}});
        if (const auto* const known = find_workload(name))
            next.headline_metrics.assign(known->headline_metrics.begin(), known->headline_metrics.end());
        else if (const auto found = usual.find(name); found != usual.end())
            next.headline_metrics = found->second;
    }
    return all;
}

class summary {
public:
    summary(const run_plan& plan, const run_outcome& outcome, const sample_table& samples)
        : plan_{plan}, outcome_{outcome}, samples_{samples}, baseline_{plan.baseline_index()} {
        for (const auto& trial : outcome.trials)
            if (trial.outcome.status == cell_status::unsupported && samples_.of(trial.where).empty())
                refused_[{trial.where.workload, trial.where.contender}] = {trial.outcome.status,
                                                                           trial.outcome.reason};
    }

    reports::report report() {
        reports::report found;
        found.complete = !outcome_.interrupted;
        found.seed = plan_.seed;
        found.baseline = plan_.baseline;
        found.plan = planned();
        found.results = results();
        found.workloads = described_workloads(plan_, found);
        found.judged_by = judge(found);
        found.aa = check_self(plan_, outcome_, samples_);
        found.disturbed = disturbances();
        found.warnings = warnings(found);
        return found;
    }

private:
    const run_plan& plan_;
    const run_outcome& outcome_;
    const sample_table& samples_;
    const std::optional<std::size_t> baseline_;
    /// Workload and contender of cells that were tried, in too few blocks to give them up, and had no number.
    std::map<std::pair<std::size_t, std::size_t>, exclusion> refused_;
    std::vector<std::size_t> compared_;             // indices of results
    std::vector<std::vector<double>> comparisons_;  // and their log ratios

    reports::planned planned() const {
        const auto seconds = [](std::chrono::nanoseconds time) {
            return std::chrono::duration<double>{time}.count();
        };
        reports::planned found{std::string{name_of(plan_.size)}, plan_.min_time_s, seconds(plan_.trial_limit),
                               outcome_.blocks_planned, plan_.cpu};
        if (const auto layouts = plan_.layout_pairs(); layouts > 0) found.layouts = layouts;
        if (std::ranges::find(plan_.ways, reports::way::turns) != plan_.ways.end()) {
            found.turn_untimed_ns = plan_.turn.untimed.count();
            found.turn_timed_ns = plan_.turn.timed.count();
        }
        return found;
    }

    std::optional<exclusion> excluded(cell where) const {
        auto own = outcome_.excluded[where.workload][where.contender];
        if (const auto found = refused_.find({where.workload, where.contender});
            !own && found != refused_.end())
            own = found->second;
        if (own || where.contender != baseline_ || !plan_.twin) return own;
        // The twin is the same program: had it the other name, the baseline would have failed.
        const auto& as_twin = outcome_.excluded[where.workload][*plan_.twin];
        if (!as_twin || as_twin->status != reports::cell_status::failed) return own;
        return exclusion{as_twin->status, fmt::format("as its own twin: {}", as_twin->reason)};
    }

    std::vector<reports::result> results() {
        std::vector<reports::result> all;
        for (std::size_t workload = 0; workload < plan_.workloads.size(); ++workload)
            for (std::size_t contender = 0; contender < plan_.contenders.size(); ++contender)
                if (contender != plan_.twin) add_cell(all, {workload, contender});
        return all;
    }

    /// By metric, and whether the workload is about it: the places in compared_ of results that are
    /// corrected as one family. How many other metrics a contender prints, and how many sleeps take as long
    /// as each other, must not decide what is said of its time.
    std::map<std::pair<std::string_view, bool>, std::vector<std::size_t>> families(
        const reports::report& in) const {
        const auto headline = reports::headline_metrics_by_workload(in);
        std::map<std::pair<std::string_view, bool>, std::vector<std::size_t>> all;
        for (std::size_t i = 0; i < compared_.size(); ++i) {
            const auto& item = in.results[compared_[i]];
            const auto& about = headline.at(item.workload);
            all[{item.metric, std::ranges::find(about, item.metric) != about.end()}].push_back(i);
        }
        return all;
    }

    reports::judging judge(reports::report& found) const {
        const auto rule = rule_of(plan_);
        std::size_t of_time = 0;
        for (const auto& [family, members] : families(found)) {
            std::vector<std::vector<double>> comparisons;
            for (const auto member : members) comparisons.push_back(comparisons_[member]);
            const auto judged = judge_all(comparisons, rule);
            for (std::size_t i = 0; i < judged.size(); ++i) {
                auto& item = found.results[compared_[members[i]]];
                item.judged = judged[i].verdict;
                if (item.to_baseline)
                    item.detectable_pct = judged[i].detectable_pct;  // per cent of zero are none
            }
            if (family == std::pair{std::string_view{"time"}, true}) of_time = judged.size();
        }
        return {std::string{name_of(rule.how)}, rule.threshold_pct, of_time};
    }

    reports::disturbances disturbances() const {
        reports::disturbances found;
        found.trials = outcome_.trials.size();
        found.disturbed = static_cast<std::uint64_t>(std::ranges::count_if(
            outcome_.trials, [](const auto& trial) { return !trial.outcome.disturbed.empty(); }));
        found.repeated = outcome_.repeated;
        found.kept = samples_.disturbed();
        return found;
    }

    std::vector<reports::warning> warnings(const reports::report& found) const {
        std::vector<reports::warning> all;
        if (outcome_.interrupted)
            all.push_back(was_interrupted(outcome_.blocks_finished, outcome_.blocks_planned));
        if (outcome_.budget_spent)
            all.push_back(budget_spent(outcome_.blocks_finished, outcome_.blocks_planned));
        if (std::ranges::any_of(found.results, [](const auto& item) { return item.median && !item.low; }))
            all.push_back(too_few_trials());
        else if (std::ranges::any_of(found.results, too_few_for_any_verdict))
            all.push_back(too_few_for_verdicts(blocks_for_verdicts(found)));
        if (plan_.tolerated_pct && !found.plan->layouts &&
            std::ranges::any_of(
                found.results, [](const auto& item) { return item.metric == "time" && is_difference(item); }))
            all.push_back(one_layout());
        if (found.plan->layouts && outcome_.blocks_planned > *found.plan->layouts)
            all.push_back(few_layouts(*found.plan->layouts, outcome_.blocks_planned));
        if (found.plan->layouts && plan_.precision_pct && outcome_.blocks_planned >= *found.plan->layouts)
            all.push_back(few_layouts_for_precision(*found.plan->layouts, *plan_.precision_pct));
        if (is_unfit(found)) all.push_back(unfit(*found.aa->reason));
        if (const auto drifted = drifted_workloads(found); !drifted.empty()) all.push_back(drift(drifted));
        if (found.disturbed.kept > 0) all.push_back(disturbed_trials(found.disturbed));
        if (const auto waited = unequally_busy(); !waited.empty()) all.push_back(waited_together(waited));
        if (!baseline_)
            all.push_back(baseline_not_measured(plan_.baseline));
        else if (const auto missing = workloads_without_baseline(); !missing.empty())
            all.push_back(baseline_without_numbers(plan_.baseline, missing));
        return all;
    }

    /// Of workloads whose contenders ran together: where one of them left the core more than another by more
    /// than starting and ending explain, in its words.
    std::vector<std::string> unequally_busy() const {
        constexpr double explained = 0.05;
        std::vector<std::string> all;
        for (std::size_t workload = 0; workload < plan_.workloads.size(); ++workload) {
            std::vector<std::pair<double, std::string>> shares;
            for (std::size_t contender = 0; contender < plan_.contenders.size(); ++contender)
                if (const auto share = samples_.waited({workload, contender});
                    share && contender != plan_.twin)
                    shares.emplace_back(*share, plan_.contenders[contender].name);
            if (shares.size() < 2) continue;
            const auto [least, most] = std::ranges::minmax(shares);
            if (most.first - least.first > explained)
                all.push_back(fmt::format("on {} {} waited for {:.0f} % of its time and {} for {:.0f} %",
                                          plan_.workloads[workload], most.second, 100 * most.first,
                                          least.second, 100 * least.first));
        }
        return all;
    }

    /// With fewer no difference of any size can be told, in the family with the most comparisons of those in
    /// which that is so: the level that one more difference would have to meet.
    std::uint64_t blocks_for_verdicts(const reports::report& found) const {
        const auto rule = rule_of(plan_);
        std::size_t most = 0;
        for (const auto& [family, members] : families(found)) {
            const auto count = [&](auto is) {
                return static_cast<std::size_t>(std::ranges::count_if(
                    members, [&](std::size_t member) { return is(found.results[compared_[member]]); }));
            };
            if (count(too_few_for_any_verdict) == 0) continue;
            most = std::max(most, fewest_pairs(level_for_one_more(count(is_difference), members.size(),
                                                                  rule.alpha(), rule.how)));
        }
        return most;
    }

    static bool is_difference(const reports::result& item) {
        return item.judged == reports::verdict::faster || item.judged == reports::verdict::slower;
    }

    static bool too_few_for_any_verdict(const reports::result& item) {
        return item.judged == reports::verdict::inconclusive && item.to_baseline && !item.detectable_pct;
    }

    static std::vector<std::string> drifted_workloads(const reports::report& found) {
        std::vector<std::string> all;
        if (!found.aa) return all;
        for (const auto& item : found.aa->comparisons)
            if (item.drifted) all.push_back(fmt::format("{} ({:+.1f} %)", item.workload, *item.drift_pct));
        return all;
    }

    void add_cell(std::vector<reports::result>& all, cell where) {
        if (const auto& why = excluded(where))
            return all.push_back(without_numbers(where, why->status, why->reason));
        const auto& measured = samples_.of(where);
        if (measured.empty())
            return all.push_back(without_numbers(where, cell_status::not_run,
                                                 outcome_.interrupted
                                                     ? "interrupted before its first trial"
                                                     : "the time budget ended before its first trial did"));
        for (const auto& metric : reports::known_metrics())
            if (const auto found = measured.find(metric.name); found != measured.end()) {
                all.push_back(with_numbers(where, metric, found->second));
                compare(all, where, metric);
            }
    }

    reports::result labelled(cell where, const reports::metric_info& metric) const {
        reports::result item;
        item.workload = plan_.workloads[where.workload];
        item.contender = plan_.contenders[where.contender].name;
        item.metric = metric.name;
        item.unit = metric.unit;
        item.better = metric.better;
        item.deterministic = metric.deterministic;
        item.made = samples_.way_of(where);
        item.level = default_level;
        return item;
    }

    reports::result without_numbers(cell where, cell_status status, std::string reason) const {
        auto item = labelled(where, *reports::find_metric("time"));
        item.status = status;
        item.reason = std::move(reason);
        return item;
    }

    reports::result with_numbers(cell where, const reports::metric_info& metric,
                                 const std::vector<std::optional<double>>& values) const {
        auto item = labelled(where, metric);
        item.samples = values;
        std::vector<double> present;
        for (const auto& value : values)
            if (value) present.push_back(*value);
        if (present.size() < values.size())
            item.reason =
                fmt::format("{} of {} trials have no number for it{}", values.size() - present.size(),
                            values.size(), why_left_out(where, metric.name));
        if (present.empty()) return item;
        const auto found = median_with_interval(present);
        item.median = found.median;
        item.low = found.low;
        item.high = found.high;
        return item;
    }

    /// The engine's doing where contenders ran at once, and the load generator's where there is one: it
    /// prints everything else.
    std::string_view why_left_out(cell where, std::string_view metric) const {
        if (samples_.way_of(where) == reports::way::together && !is_of_cpu_time(metric))
            return ": it goes by the clock on the wall, and programs that run at once have a part of a core";
        if (!metric.starts_with("latency_") || pace_of(plan_.workloads[where.workload]) == pace::its_own)
            return "";
        return ": the load generator's own lateness may be over 10 % of it (loopbench explain "
               "send_late_p99)";
    }

    /// The ratio of the last of `results`, or its difference where there is no ratio, and what its verdict
    /// will be from.
    void compare(std::vector<reports::result>& results, cell where, const reports::metric_info& metric) {
        if (!baseline_ || where.contender == *baseline_ || excluded({where.workload, *baseline_})) return;
        if (const auto why = why_incomparable(plan_.workloads[where.workload], metric.name); !why.empty())
            return add_reason(results.back(), fmt::format("no ratio: {}", why));
        auto log_ratios = samples_.log_ratios(where.workload, where.contender, *baseline_, metric);
        if (log_ratios.empty()) return compare_distances(results, where, metric);
        const auto found = ratio_from(log_ratios);
        results.back().to_baseline = reports::ratio{plan_.baseline, found.median, found.low, found.high};
        if (metric.name == std::string_view{"time"}) {
            results.back().layout_pct = layout_pct(where, metric);
            results.back().to_baseline->samples =
                samples_.ratios_of_turns(where.workload, where.contender, *baseline_);
        }
        compared_.push_back(results.size() - 1);
        comparisons_.push_back(std::move(log_ratios));
    }

    void compare_distances(std::vector<reports::result>& results, cell where,
                           const reports::metric_info& metric) {
        auto& item = results.back();
        explain_missing_ratio(item, where);
        auto found = samples_.distances_from_zero(where.workload, where.contender, *baseline_, metric);
        if (found.differences.empty()) return;
        const auto difference = median_with_interval(found.differences);
        item.from_baseline =
            reports::difference{plan_.baseline, difference.median, difference.low, difference.high};
        compared_.push_back(results.size() - 1);
        comparisons_.push_back(std::move(found.log_quotients));
    }

    std::optional<double> layout_pct(cell where, const reports::metric_info& metric) const {
        const auto found = samples_.layout_deviation(where.workload, where.contender, metric);
        return found ? std::optional{100 * std::expm1(*found)} : std::nullopt;
    }

    static void add_reason(reports::result& item, std::string_view reason) {
        item.reason = fmt::format("{}{}", item.reason ? *item.reason + "; " : "", reason);
    }

    void explain_missing_ratio(reports::result& item, cell where) const {
        const auto theirs = samples_of({where.workload, *baseline_}, item.metric);
        const auto has_none = [](const std::optional<double>& value) { return value && *value <= 0; };
        const auto why = std::ranges::any_of(item.samples, has_none) || std::ranges::any_of(theirs, has_none)
                             ? "a value is not above zero"
                             : "no block has numbers of both that can be divided";
        add_reason(item, fmt::format("no ratio: {}", why));
    }

    std::vector<std::optional<double>> samples_of(cell where, std::string_view metric) const {
        const auto& measured = samples_.of(where);
        const auto found = measured.find(metric);
        return found == measured.end() ? std::vector<std::optional<double>>{} : found->second;
    }

    std::vector<std::string> workloads_without_baseline() const {
        std::vector<std::string> missing;
        for (std::size_t workload = 0; workload < plan_.workloads.size(); ++workload)
            if (excluded({workload, *baseline_})) missing.push_back(plan_.workloads[workload]);
        return missing;
    }
};

/// What a contender said before the run counts, because only then it was asked for everything; its trials may
/// add to it.
std::vector<reports::contender> described(const run_plan& plan, const run_outcome& outcome) {
    std::vector<reports::contender> all;
    for (std::size_t index = 0; index < plan.contenders.size(); ++index) {
        if (index == plan.twin) continue;
        const auto said_something = [&](const trial_record& trial) {
            return trial.where.contender == index && !trial.outcome.context.empty();
        };
        const auto first = std::ranges::find_if(outcome.trials, said_something);
        auto context =
            first != outcome.trials.end() ? first->outcome.context : nlohmann::ordered_json::object();
        if (index < plan.described.size()) context.update(plan.described[index].context);
        all.push_back(reports::describe(plan.contenders[index].name, std::move(context)));
    }
    return all;
}

}  // namespace

reports::report summarise(const run_plan& plan, const run_outcome& outcome) {
    const sample_table samples{plan, outcome};
    auto report = summary{plan, outcome, samples}.report();
    report.contenders = described(plan, outcome);
    compare_with_floors(report, rule_of(plan), plan, samples);
    std::ranges::move(parity_warnings(report.contenders), std::back_inserter(report.warnings));
    return report;
}

std::vector<double> log_ratios_of(const reports::result& item, const reports::result& to) {
    if (item.to_baseline && item.to_baseline->to == to.contender && item.to_baseline->samples) {
        const std::vector<std::optional<double>> ones(item.to_baseline->samples->size(), 1.0);
        return paired_log_ratios(*item.to_baseline->samples, ones);
    }
    return item.better == reports::direction::smaller ? paired_log_ratios(to.samples, item.samples)
                                                      : paired_log_ratios(item.samples, to.samples);
}

reports::report report_of(const session_record& journal) {
    auto report = summarise(journal.plan, journal.outcome);
    report.command = journal.command;
    report.where = journal.where;
    if (!journal.counted.empty()) add_counts(report, journal.counted);
    return report;
}

reports::report read_report_or_journal(std::string_view text, std::string_view name) {
    return is_journal(text) ? report_of(read_journal(text, name)) : reports::read_json(text, name);
}

}  // namespace loopbench::bench
