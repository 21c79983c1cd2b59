// Samples are indexed by block, so that a contender's and the baseline's are pairs.
#include "bench/engine/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "bench/engine/parity.hpp"
#include "bench/engine/warnings.hpp"
#include "bench/statistics/median.hpp"
#include "reports/metrics.hpp"

namespace loopbench::bench {

namespace {

using reports::cell_status;
using samples_by_metric = std::map<std::string, std::vector<std::optional<double>>, std::less<>>;

class summary {
public:
    summary(const run_plan& plan, const run_outcome& outcome) : plan_{plan}, outcome_{outcome} {
        cells_.assign(plan.workloads.size(), std::vector<samples_by_metric>(plan.contenders.size()));
        const auto found = std::ranges::find(plan.contenders, plan.baseline, &contender::name);
        if (found != plan.contenders.end())
            baseline_ = static_cast<std::size_t>(found - plan.contenders.begin());
        for (const auto& trial : outcome.trials) take(trial);
    }

    std::vector<reports::result> results() const {
        std::vector<reports::result> all;
        for (std::size_t workload = 0; workload < plan_.workloads.size(); ++workload)
            for (std::size_t contender = 0; contender < plan_.contenders.size(); ++contender)
                add_cell(all, {workload, contender});
        return all;
    }

    std::vector<reports::warning> warnings(const std::vector<reports::result>& results) const {
        std::vector<reports::warning> all;
        if (outcome_.interrupted) all.push_back(was_interrupted(outcome_.blocks_finished, plan_.blocks));
        if (outcome_.budget_spent) all.push_back(budget_spent(outcome_.blocks_finished, plan_.blocks));
        if (std::ranges::any_of(results, [](const auto& item) { return item.median && !item.low; }))
            all.push_back(too_few_trials());
        if (!baseline_)
            all.push_back(baseline_not_measured(plan_.baseline));
        else if (const auto missing = workloads_without_baseline(); !missing.empty())
            all.push_back(baseline_without_numbers(plan_.baseline, missing));
        return all;
    }

private:
    const run_plan& plan_;
    const run_outcome& outcome_;
    std::vector<std::vector<samples_by_metric>> cells_;  // [workload][contender]
    std::optional<std::size_t> baseline_;

    const samples_by_metric& samples(cell where) const { return cells_[where.workload][where.contender]; }
    const std::optional<exclusion>& excluded(cell where) const {
        return outcome_.excluded[where.workload][where.contender];
    }

    void take(const trial_record& trial) {
        auto& metrics = cells_[trial.where.workload][trial.where.contender];
        for (const auto& [name, value] : trial.outcome.metrics) metrics[name].resize(trial.block);
        for (auto& [name, values] : metrics) {
            const auto printed = trial.outcome.metrics.find(name);
            values.push_back(printed == trial.outcome.metrics.end() ? std::nullopt : printed->second);
        }
    }

    void add_cell(std::vector<reports::result>& all, cell where) const {
        if (const auto& why = excluded(where))
            return all.push_back(without_numbers(where, why->status, why->reason));
        if (samples(where).empty())
            return all.push_back(
                without_numbers(where, cell_status::failed, "interrupted before its first trial"));
        for (const auto& metric : reports::known_metrics())
            if (const auto found = samples(where).find(metric.name); found != samples(where).end())
                all.push_back(with_numbers(where, metric, found->second));
    }

    reports::result labelled(cell where, const reports::metric_info& metric) const {
        reports::result item;
        item.workload = plan_.workloads[where.workload];
        item.contender = plan_.contenders[where.contender].name;
        item.metric = metric.name;
        item.unit = metric.unit;
        item.better = metric.better;
        item.deterministic = metric.deterministic;
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
            item.reason = fmt::format("{} of {} trials printed no number for it",
                                      values.size() - present.size(), values.size());
        if (present.empty()) return item;
        const auto found = median_with_interval(present);
        item.median = found.median;
        item.low = found.low;
        item.high = found.high;
        item.to_baseline = ratio_of(where, metric, values);
        return item;
    }

    std::optional<reports::ratio> ratio_of(cell where, const reports::metric_info& metric,
                                           const std::vector<std::optional<double>>& values) const {
        if (!baseline_ || where.contender == *baseline_ || excluded({where.workload, *baseline_}))
            return std::nullopt;
        const auto& others = samples({where.workload, *baseline_});
        const auto other = others.find(metric.name);
        if (other == others.end()) return std::nullopt;
        const auto found = metric.better == reports::direction::smaller ? paired_ratio(other->second, values)
                                                                        : paired_ratio(values, other->second);
        if (!found) return std::nullopt;
        return reports::ratio{plan_.baseline, found->median, found->low, found->high};
    }

    std::vector<std::string> workloads_without_baseline() const {
        std::vector<std::string> missing;
        for (std::size_t workload = 0; workload < plan_.workloads.size(); ++workload)
            if (excluded({workload, *baseline_})) missing.push_back(plan_.workloads[workload]);
        return missing;
    }
};

/// What a contender said before the run counts, because only then it was asked for everything; its trials may add to it.
std::vector<reports::contender> described(const run_plan& plan, const run_outcome& outcome) {
    std::vector<reports::contender> all;
    for (std::size_t index = 0; index < plan.contenders.size(); ++index) {
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
    const summary all{plan, outcome};
    reports::report report;
    report.complete = !outcome.interrupted;
    report.seed = plan.seed;
    report.baseline = plan.baseline;
    report.contenders = described(plan, outcome);
    report.results = all.results();
    report.warnings = all.warnings(report.results);
    std::ranges::move(parity_warnings(report.contenders), std::back_inserter(report.warnings));
    return report;
}

bool any_failed(const reports::report& report) {
    return std::ranges::any_of(report.results,
                               [](const auto& item) { return item.status == cell_status::failed; });
}

}  // namespace loopbench::bench
