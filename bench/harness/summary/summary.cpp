#include "bench/harness/summary/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "bench/catalog/workload_table.hpp"
#include "bench/harness/experiment/samples.hpp"
#include "bench/harness/statistics/correction.hpp"
#include "bench/harness/statistics/hosts.hpp"
#include "bench/harness/statistics/median.hpp"
#include "bench/harness/statistics/sign_test.hpp"
#include "bench/harness/statistics/verdict.hpp"
#include "bench/harness/summary/driver_comparison.hpp"
#include "bench/harness/summary/floor_comparison.hpp"
#include "bench/harness/summary/passes.hpp"
#include "bench/harness/summary/result_laws.hpp"
#include "bench/harness/summary/self_check.hpp"
#include "bench/harness/summary/warnings.hpp"
#include "bench/harness/trial/build_comparison.hpp"
#include "bench/harness/trial/gbench_names.hpp"
#include "bench/harness/trial/run_trial.hpp"
#include "reports/model/json.hpp"
#include "reports/model/report_index.hpp"
#include "reports/render/columns.hpp"

namespace loopbench::bench {

namespace {

using reports::result_status;

verdict_rule rule_of(const run_plan& plan) {
    return {.threshold_pct = plan.threshold_pct, .how = plan.how};
}

/// Returns the primary metrics of a workload outside the catalog. A third-party program has only the time,
/// because its counters can have the names of metrics (for example `capacity`).
std::vector<std::string> metrics_outside_catalog(const reports::report_index& index,
                                                 const std::string& workload) {
    return is_own_workload(workload) ? index.headline(workload) : std::vector<std::string>{"time"};
}

/// Returns the cores that the trials of a workload used, without repetitions, or nothing if none stated them.
std::optional<std::vector<reports::used_cores>> cores_of(const run_outcome& outcome, std::size_t workload) {
    std::vector<reports::used_cores> all;
    for (const auto& trial : outcome.trials)
        if (const auto& cores = trial.outcome.cores;
            trial.where.workload == workload && cores && std::ranges::find(all, *cores) == all.end())
            all.push_back(*cores);
    return all.empty() ? std::nullopt : std::optional{std::move(all)};
}

/// Returns the workloads with their primary metrics and their cores. Leaves out a percentile if the baseline
/// has too few samples for it.
std::vector<reports::workload> described_workloads(const run_plan& plan, const run_outcome& outcome,
                                                   const reports::report& report) {
    const reports::report_index index{report};
    std::set<std::pair<std::string_view, std::string_view>> maxima;
    for (const auto& item : report.results) {
        const auto* const base = reports::find_result(report, item.workload, plan.baseline, item.metric);
        if (item.max_of && (base == nullptr || base->max_of)) maxima.emplace(item.workload, item.metric);
    }
    std::vector<reports::workload> all;
    for (const auto& name : plan.workloads) {
        auto& next = all.emplace_back(reports::workload{name, {}, cores_of(outcome, all.size())});
        if (const auto* const known = find_workload(name))
            next.primary_metrics.assign(known->primary_metrics.begin(), known->primary_metrics.end());
        else
            next.primary_metrics = metrics_outside_catalog(index, name);
        std::erase_if(next.primary_metrics, [&](const std::string& metric) {
            return maxima.contains({name, metric});
        });
    }
    return all;
}

class summary {
public:
    summary(const run_plan& plan, const run_outcome& outcome, const sample_table& samples)
        : plan_{plan}, outcome_{outcome}, samples_{samples}, baseline_{plan.baseline_index()} {
        for (const auto& trial : outcome.trials)
            if (trial.outcome.status == result_status::unsupported && samples_.of(trial.where).empty())
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
        if (plan_.unmatched) {
            found.unmatched.emplace();
            for (const auto& each : *plan_.unmatched)
                found.unmatched->push_back({each.workload, each.contender});
        }
        found.workloads = described_workloads(plan_, outcome_, found);
        found.judged_by = judge(found);
        find_hosts_that_differ(found);
        found.aa = check_self(plan_, outcome_, samples_);
        found.disturbed = disturbances();
        if (!is_unreliable(found)) withdraw_verdicts_of_disturbed(found);
        found.warnings = warnings_of(plan_, outcome_, samples_, found);
        return found;
    }

private:
    const run_plan& plan_;
    const run_outcome& outcome_;
    const sample_table& samples_;
    const std::optional<std::size_t> baseline_;
    const std::vector<std::string> machines_ = machines_of(outcome_);
    std::map<std::pair<std::size_t, std::size_t>, exclusion> refused_;
    std::vector<std::size_t> compared_;
    std::vector<comparison> comparisons_;
    std::map<std::size_t, double> alike_;

    double shortest_trial_s() const {
        if (plan_.pairings.empty()) return plan_.min_time_s;
        std::vector<double> all;
        for (const auto made : plan_.pairings) all.push_back(effective_min_time_s(plan_.min_time_s, made));
        return std::ranges::min(all);
    }

    reports::planned planned() const {
        const auto seconds = [](std::chrono::nanoseconds time) {
            return std::chrono::duration<double>{time}.count();
        };
        reports::planned found{std::string{name_of(plan_.size)}, shortest_trial_s(),
                               seconds(plan_.trial_limit), outcome_.blocks_planned, plan_.cpu};
        if (const auto layouts = plan_.layout_pairs(); layouts > 0) found.layouts = layouts;
        if (std::ranges::find(plan_.pairings, reports::pairing::interleaved) != plan_.pairings.end()) {
            found.slice_untimed_ns = plan_.slice.untimed.count();
            found.slice_timed_ns = plan_.slice.timed.count();
        }
        if (!plan_.contenders.empty()) {
            const auto& variables = plan_.contenders.front().environment;
            if (const auto here = variables.find(serve_on_variable); here != variables.end())
                found.serve_on = here->second;
            if (const auto there = variables.find(generator_on_variable); there != variables.end())
                found.generator_on = there->second;
        }
        return found;
    }

    std::optional<exclusion> excluded(cell where) const {
        auto own = outcome_.excluded[where.workload][where.contender];
        if (const auto found = refused_.find({where.workload, where.contender});
            !own && found != refused_.end())
            own = found->second;
        if (own || where.contender != baseline_ || !plan_.aa_copy) return own;
        // The A/A copy and the baseline are the same program. If the copy failed, the baseline could have
        // failed, too. Therefore the baseline's result becomes a failed result.
        const auto& as_aa_copy = outcome_.excluded[where.workload][*plan_.aa_copy];
        if (!as_aa_copy || as_aa_copy->status != reports::result_status::failed) return own;
        return exclusion{as_aa_copy->status, fmt::format("the A/A copy failed: {}", as_aa_copy->reason)};
    }

    std::vector<reports::result> results() {
        std::vector<reports::result> all;
        for (std::size_t workload = 0; workload < plan_.workloads.size(); ++workload)
            for (std::size_t contender = 0; contender < plan_.contenders.size(); ++contender)
                if (contender != plan_.aa_copy) add_cell(all, {workload, contender});
        return all;
    }

    /// Judges the results. Each metric has two families: the workloads of which it is a primary metric, and
    /// all other workloads. Thus the verdicts on time depend neither on the number of other metrics, nor on
    /// workloads whose time is fixed.
    reports::judging judge(reports::report& found) const {
        const reports::report_index index{found};
        const auto rule = rule_of(plan_);
        std::vector<std::pair<std::string_view, bool>> families;
        for (const auto place : compared_)
            families.emplace_back(found.results[place].metric, index.is_about(found.results[place]));
        const auto judged = judge_families(families, comparisons_, rule);
        for (std::size_t i = 0; i < judged.size(); ++i) {
            auto& item = found.results[compared_[i]];
            item.judged = judged[i].verdict;
            if (item.to_baseline)
                item.detectable_pct = judged[i].detectable_pct;  // a percentage exists only for ratios
        }
        const auto of_time = std::ranges::count(families, std::pair{std::string_view{"time"}, true});
        return {std::string{name_of(rule.how)}, rule.threshold_pct, static_cast<std::uint64_t>(of_time)};
    }

    reports::disturbances disturbances() const {
        reports::disturbances found;
        found.trials = outcome_.trials.size();
        found.disturbed = static_cast<std::uint64_t>(std::ranges::count_if(
            outcome_.trials, [](const auto& trial) { return !trial.outcome.disturbed.empty(); }));
        found.repeated = outcome_.repeated;
        found.kept = samples_.disturbed();
        std::vector<std::string> workloads;
        for (std::size_t i = 0; i < plan_.workloads.size(); ++i)
            if (samples_.counts_of(i).are_mostly_disturbed()) workloads.push_back(plan_.workloads[i]);
        if (!workloads.empty()) found.workloads = std::move(workloads);
        return found;
    }

    void withdraw_verdicts_of_disturbed(reports::report& found) const {
        for (const auto place : compared_) {
            auto& item = found.results[place];
            if (!reports::is_disturbed(found, item.workload)) continue;
            item.judged.reset();
            item.detectable_pct.reset();
            add_reason(item, "there is no verdict, because more than half of the trials were disturbed");
        }
    }

    void find_hosts_that_differ(reports::report& found) const {
        const reports::report_index index_of{found};
        std::vector<double> p_values;
        std::vector<reports::result*> tested;
        for (const auto& [index, p] : alike_) {
            auto& item = found.results[index];
            if (!index_of.is_about(item)) continue;
            p_values.push_back(p);
            tested.push_back(&item);
        }
        const auto rule = rule_of(plan_);
        const auto corrected = adjusted(p_values, correction::benjamini_hochberg);
        for (std::size_t i = 0; i < tested.size(); ++i)
            tested[i]->by_host->differ =
                corrected[i] <= rule.alpha() && widest_gap(*tested[i]->by_host) > rule.threshold();
    }

    void add_cell(std::vector<reports::result>& all, cell where) {
        if (const auto& why = excluded(where))
            return all.push_back(without_numbers(where, why->status, why->reason));
        const auto& measured = samples_.of(where);
        if (measured.empty())
            return all.push_back(without_numbers(
                where, result_status::not_run,
                outcome_.interrupted ? "the run was interrupted before the first trial of this result"
                                     : "the time budget ended before the first trial of this result"));
        for (const auto& metric : reports::known_metrics())
            if (const auto found = measured.find(metric.name); found != measured.end()) {
                all.push_back(with_numbers(where, metric, found->second));
                all.back().max_of = max_of(where, metric);
                const bool is_maximum =
                    all.back().max_of || (baseline_ && max_of({where.workload, *baseline_}, metric));
                if (!is_maximum && !reports::counts_samples(metric)) compare(all, where, metric);
            }
    }

    std::optional<std::uint64_t> max_of(cell where, const reports::metric_info& metric) const {
        if (metric.samples_needed == 0) return std::nullopt;
        std::vector<double> counts;
        for (const auto& count : samples_of(where, metric.samples_metric))
            if (count) counts.push_back(*count);
        if (counts.empty()) return std::nullopt;
        const auto samples =
            static_cast<std::uint64_t>(std::clamp(median_of(counts), 0.0, double(metric.samples_needed)));
        return samples < metric.samples_needed ? std::optional{samples} : std::nullopt;
    }

    reports::result labelled(cell where, const reports::metric_info& metric) const {
        auto item = reports::result_of(plan_.workloads[where.workload],
                                       plan_.contenders[where.contender].name, metric);
        item.made = samples_.pairing_of(where);
        item.level = default_level;
        return item;
    }

    reports::result without_numbers(cell where, result_status status, std::string reason) const {
        auto item = labelled(where, *reports::find_metric("time"));
        item.status = status;
        item.reason = std::move(reason);
        return item;
    }

    reports::result with_numbers(cell where, const reports::metric_info& metric,
                                 const std::vector<std::optional<double>>& values) const {
        auto item = labelled(where, metric);
        item.deterministic = false;  // reported by the contender; only the passes count exactly
        item.samples = values;
        const auto missing =
            static_cast<std::size_t>(std::ranges::count_if(values, [](const auto& value) { return !value; }));
        if (missing > 0)
            item.reason = fmt::format("{} of {} trials have no value{}", missing, values.size(),
                                      why_left_out(where, metric.name));
        if (missing == values.size()) return item;
        const auto found = samples_.estimate_of(where.workload, values);
        item.median = found.median;
        item.low = found.low;
        item.high = found.high;
        return item;
    }

    /// Returns the reason why values of a metric are missing. The harness removes wall-clock times from
    /// concurrent trials, and the load generator omits latencies if it sent requests too late.
    std::string_view why_left_out(cell where, std::string_view metric) const {
        if (samples_.pairing_of(where) == reports::pairing::concurrent && !is_of_cpu_time(metric))
            return ", because the metric is wall-clock time, and concurrent programs share a core";
        if (!metric.starts_with("latency_") || pace_of(plan_.workloads[where.workload]) == pace::its_own)
            return "";
        return ", because the load generator's lateness might exceed 10 % of the value (loopbench explain "
               "send_late_p99)";
    }

    void compare(std::vector<reports::result>& results, cell where, const reports::metric_info& metric) {
        if (!baseline_ || where.contender == *baseline_ || excluded({where.workload, *baseline_})) return;
        if (const auto why = why_incomparable(plan_.workloads[where.workload], metric.name); !why.empty())
            return add_reason(results.back(), fmt::format("there is no ratio, because {}", why));
        auto ratios = samples_.comparison_of({where.workload, where.contender, *baseline_}, metric);
        if (ratios.log_ratios.empty()) return compare_distances(results, where, metric);
        const auto found = ratio_from(ratios);
        results.back().to_baseline = reports::ratio{plan_.baseline, found.median, found.low, found.high};
        if (metric.name == std::string_view{"time"}) {
            results.back().layout_pct = layout_pct(where, metric);
            results.back().to_baseline->samples =
                samples_.ratios_of_slices({where.workload, where.contender, *baseline_});
        }
        compare_hosts(results, where, metric);
        compared_.push_back(results.size() - 1);
        comparisons_.push_back(std::move(ratios));
    }

    void compare_hosts(std::vector<reports::result>& results, cell where,
                       const reports::metric_info& metric) {
        const auto values = samples_.by_host({where.workload, where.contender, *baseline_}, metric);
        if (values.empty()) return;
        auto& effect = results.back().by_host.emplace();
        std::map<std::size_t, std::vector<double>> by_host;
        for (const auto& [host, value] : values) by_host[host].push_back(value);
        effect.ratios.resize(machines_.size());
        for (const auto& [host, of_it] : by_host) effect.ratios[host] = std::exp(median_of(of_it));
        if (const auto found = host_deviation(values)) effect.deviation_pct = 100 * std::expm1(*found);
        if (const auto p = p_hosts_are_alike(values)) alike_[results.size() - 1] = *p;
    }

    void compare_distances(std::vector<reports::result>& results, cell where,
                           const reports::metric_info& metric) {
        auto& item = results.back();
        explain_missing_ratio(item, where);
        auto found = samples_.distances_from_zero({where.workload, where.contender, *baseline_}, metric);
        if (found.differences.log_ratios.empty()) return;
        const auto difference = estimate_of(found.differences);
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
                             : "no block has usable values of both contenders";
        add_reason(item, fmt::format("there is no ratio, because {}", why));
    }

    std::vector<std::optional<double>> samples_of(cell where, std::string_view metric) const {
        const auto& measured = samples_.of(where);
        const auto found = measured.find(metric);
        return found == measured.end() ? std::vector<std::optional<double>>{} : found->second;
    }
};

/// Returns how a contender's trials, and those of its A/A copy, used asio_compat. Returns nothing if they did
/// not use it, and the program was compiled without the drop-in header.
std::optional<reports::asio_use> asio_use_of(const run_plan& plan, const run_outcome& outcome,
                                             std::size_t contender) {
    reports::asio_use found{.dropin = plan.contenders[contender].asio_dropin, .loops = {}, .failure = {}};
    for (const auto& trial : outcome.trials) {
        const auto who = trial.where.contender;
        if (who != contender && !(who == plan.aa_copy && contender == plan.baseline_index())) continue;
        for (const auto& loop : trial.outcome.asio_loops.value_or(std::vector<std::string>{}))
            if (std::ranges::find(found.loops, loop) == found.loops.end()) found.loops.push_back(loop);
        if (!found.failure) found.failure = trial.outcome.asio_failure;
    }
    if (!found.dropin && found.loops.empty() && !found.failure) return std::nullopt;
    return found;
}

/// Returns the contenders with their contexts. The context that a contender printed before the run has
/// precedence, because only this context contains all details.
std::vector<reports::contender> described(const run_plan& plan, const run_outcome& outcome) {
    std::vector<reports::contender> all;
    for (std::size_t index = 0; index < plan.contenders.size(); ++index) {
        if (index == plan.aa_copy) continue;
        const auto said_something = [&](const trial_record& trial) {
            return trial.where.contender == index && !trial.outcome.context.empty();
        };
        const auto first = std::ranges::find_if(outcome.trials, said_something);
        auto context =
            first != outcome.trials.end() ? first->outcome.context : nlohmann::ordered_json::object();
        if (index < plan.described.size()) context.update(plan.described[index].context);
        all.push_back(reports::describe(plan.contenders[index].name, std::move(context)));
        all.back().asio = asio_use_of(plan, outcome, index);
    }
    return all;
}

std::optional<std::vector<reports::host>> hosts_of(const session_record& record) {
    const auto machines = machines_of(record.outcome);
    if (machines.size() < 2) return std::nullopt;
    const auto& merged = record.outcome.merged;
    const auto of = merged.empty() ? record.plan.share().of : merged.front().part.of;
    std::vector<reports::host> all(machines.size());
    std::vector<std::set<std::uint64_t>> shards(machines.size()), blocks(machines.size());
    for (const auto& trial : record.outcome.trials) {
        const auto place = static_cast<std::size_t>(std::ranges::find(machines, trial.machine.value_or("")) -
                                                    machines.begin());
        if (place == machines.size()) continue;
        blocks[place].insert(trial.block);
        shards[place].insert(trial.block % of + 1);
    }
    for (std::size_t i = 0; i < machines.size(); ++i) {
        // All machines of a shard have the same properties, because refuse_other_place() refuses to resume a
        // shard on a machine with other properties. Therefore any of the machine's shards describes it.
        const auto is_of_it = [&](const merged_shard& one) { return shards[i].contains(one.part.number); };
        const auto found = std::ranges::find_if(merged, is_of_it);
        const auto& where = found == merged.end() ? record.where : found->where;
        all[i] = {where.kernel,
                  where.cpu_model,
                  where.cores,
                  {shards[i].begin(), shards[i].end()},
                  blocks[i].size()};
    }
    return all;
}

/// Returns the outcome of the trials, with the failures of the passes that followed. The result of a
/// contender that failed in a pass becomes a failed result, because the passes did not confirm its work.
run_outcome with_later_failures(const session_record& journal) {
    auto outcome = journal.outcome;
    const auto& workloads = journal.plan.workloads;
    const auto& contenders = journal.plan.contenders;
    for (const auto& cell : journal.counted) {
        if (!cell.failed) continue;
        const auto workload = std::ranges::find(workloads, cell.workload) - workloads.begin();
        const auto who = std::ranges::find(contenders, cell.contender, &contender::name) - contenders.begin();
        auto& why = outcome.excluded.at(static_cast<std::size_t>(workload)).at(static_cast<std::size_t>(who));
        // The last reason describes the failure that ended the pass. The other reasons are about values that
        // could not be counted.
        if (!why)
            why = exclusion{result_status::failed,
                            "after its trials: " + (cell.missing.empty() ? "failed" : cell.missing.back())};
    }
    return outcome;
}

}  // namespace

namespace {

run_outcome without_impossible(const run_plan& plan, run_outcome outcome,
                               std::span<const broken_law> broken) {
    for (const auto& law : broken) {
        const auto workload = std::ranges::find(plan.workloads, law.workload) - plan.workloads.begin();
        const auto who =
            std::ranges::find(plan.contenders, law.contender, &contender::name) - plan.contenders.begin();
        outcome.excluded.at(static_cast<std::size_t>(workload)).at(static_cast<std::size_t>(who)) =
            exclusion{result_status::failed, law.how};
    }
    return outcome;
}

}  // namespace

reports::report summarise(const run_plan& plan, const run_outcome& outcome) {
    const sample_table samples{plan, outcome};
    auto report = summary{plan, outcome, samples}.report();
    report.contenders = described(plan, outcome);
    auto broken = compare_with_floors(report, rule_of(plan), plan, samples);
    std::ranges::move(laws_broken_among_floors(report), std::back_inserter(broken));
    if (!broken.empty()) return summarise(plan, without_impossible(plan, outcome, broken));
    compare_drivers(report, rule_of(plan), plan, samples);
    std::ranges::move(build_comparison_warnings(report.contenders), std::back_inserter(report.warnings));
    std::ranges::move(swap_warnings(report), std::back_inserter(report.warnings));
    return report;
}

std::vector<double> log_ratios_of(const reports::result& item, const reports::result& to) {
    if (item.to_baseline && item.to_baseline->to == to.contender && item.to_baseline->samples) {
        const std::vector<std::optional<double>> ones(item.to_baseline->samples->size(), 1.0);
        return paired_log_ratios(*item.to_baseline->samples, ones);
    }
    return paired_log_ratios(item.samples, to.samples, item.better);
}

reports::report report_of(const session_record& journal) {
    const bool failed_later = std::ranges::any_of(journal.counted, &counted_result::failed);
    const auto outcome = failed_later ? with_later_failures(journal) : journal.outcome;
    auto report = summarise(journal.plan, outcome);
    report.where = journal.where;
    if (const auto broken = laws_broken_by_counts(report, journal.counted); !broken.empty())
        report = summarise(journal.plan, without_impossible(journal.plan, outcome, broken));
    report.command = journal.command;
    report.where = journal.where;
    report.hosts = hosts_of(journal);
    if (!journal.counted.empty()) add_counts(report, journal.counted);
    report.causes = journal.causes;
    return report;
}

reports::report read_report_or_journal(const std::string& text, std::string_view name) {
    return is_journal(text) ? report_of(read_journal(text, name)) : reports::read_json(text, name);
}

}  // namespace loopbench::bench
