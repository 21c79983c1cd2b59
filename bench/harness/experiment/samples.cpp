#include "bench/harness/experiment/samples.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "bench/harness/statistics/layout.hpp"
#include "bench/harness/statistics/median.hpp"

namespace loopbench::bench {

namespace {

struct attempt {
    std::size_t trials = 0;
    std::size_t ended = 0;
};

/// Returns the number of the last attempt among those with the most trials. A result that the runner gave up
/// on in an earlier attempt counts as a trial of later attempts, because they do not run it again.
std::uint64_t most_complete(const std::map<std::uint64_t, attempt>& all) {
    std::size_t ended_before = 0, most = 0;
    std::uint64_t best = 0;
    for (const auto& [number, found] : all) {
        if (found.trials + ended_before >= most) {
            most = found.trials + ended_before;
            best = number;
        }
        ended_before += found.ended;
    }
    return best;
}

std::set<const trial_record*> last_trials(const run_outcome& outcome) {
    std::map<std::pair<std::size_t, std::size_t>, const trial_record*> last;
    for (const auto& trial : outcome.trials)
        if (!outcome.excluded.empty() && outcome.excluded[trial.where.workload][trial.where.contender])
            last[{trial.where.workload, trial.where.contender}] = &trial;
    std::set<const trial_record*> all;
    for (const auto& [where, trial] : last) all.insert(trial);
    return all;
}

}  // namespace

counting_attempts::counting_attempts(const run_outcome& outcome) {
    const auto last = last_trials(outcome);
    std::map<row, std::map<std::uint64_t, attempt>> rows;
    for (const auto& trial : outcome.trials) {
        auto& found = rows[{trial.block, trial.where.workload}][trial.attempt];
        ++found.trials;
        found.ended += last.contains(&trial) ? 1U : 0U;
    }
    for (const auto& [where, all] : rows) best_[where] = most_complete(all);
}

bool counting_attempts::counts(std::uint64_t block, std::size_t workload, std::uint64_t attempt) const {
    const auto found = best_.find({block, workload});
    return found != best_.end() && found->second == attempt;
}

std::vector<std::string> machines_of(const run_outcome& outcome) {
    std::vector<std::string> all;
    for (const auto& trial : outcome.trials)
        if (auto name = trial.machine.value_or(""); std::ranges::find(all, name) == all.end())
            all.push_back(std::move(name));
    if (all.size() == 1 && all.front().empty()) all.clear();
    return all;
}

namespace {

std::map<std::uint64_t, std::uint64_t> places_of_blocks(const run_outcome& outcome) {
    std::map<std::uint64_t, std::uint64_t> places;
    for (const auto& trial : outcome.trials) places[trial.block];
    std::uint64_t next = 0;
    for (auto& [block, place] : places) place = next++;
    return places;
}

/// Returns the median of the rounds' log ratios. Each ratio compares slices of the same round, because these
/// ran within milliseconds on the same core, at the same speed of the machine. Ignores rounds in which only
/// one of the two contenders ran.
double log_ratio_of_slices(const std::vector<double>& ours, const std::vector<double>& theirs) {
    std::vector<double> rounds;
    for (std::size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i)
        rounds.push_back(std::log(theirs[i] / ours[i]));
    return median_of(rounds);
}

}  // namespace

sample_table::sample_table(const run_plan& plan, const run_outcome& outcome, std::uint64_t blocks) {
    baseline_ = plan.baseline_index();
    aa_copy_ = plan.aa_copy;
    cells_.assign(plan.workloads.size(), std::vector<cell_samples>(plan.contenders.size()));
    counts_.resize(plan.workloads.size());
    const auto machines = machines_of(outcome);
    const auto places = places_of_blocks(outcome);
    if (machines.size() > 1) hosts_.assign(plan.workloads.size(), std::vector<std::size_t>(places.size()));
    const counting_attempts tried{outcome};
    for (const auto& trial : outcome.trials)
        if (trial.block < blocks && tried.counts(trial.block, trial.where.workload, trial.attempt)) {
            const auto block = places.at(trial.block);
            take(trial, block);
            if (!hosts_.empty())  // all trials of an attempt ran on one machine
                hosts_[trial.where.workload][block] = static_cast<std::size_t>(
                    std::ranges::find(machines, trial.machine.value_or("")) - machines.begin());
            if (plan.layout_pairs() == 0) continue;
            layouts_.resize(std::max(layouts_.size(), block + 1),
                            std::vector<std::size_t>(plan.contenders.size()));
            layouts_[block][trial.where.contender] = trial.layout;
        }
}

void sample_table::take(const trial_record& trial, std::uint64_t block) {
    const bool measured = trial.outcome.status != reports::result_status::unsupported;
    auto& counts = counts_[trial.where.workload];
    if (measured) ++counts.trials;
    if (measured && !trial.outcome.disturbed.empty()) ++counts.disturbed;
    auto& found = cells_[trial.where.workload][trial.where.contender];
    for (const auto& [name, value] : trial.outcome.metrics) found.metrics[name];
    for (auto& [name, values] : found.metrics) {
        const auto printed = trial.outcome.metrics.find(name);
        values.resize(std::max(values.size(), block + 1));
        values[block] = printed == trial.outcome.metrics.end() ? std::nullopt : printed->second;
    }
    if (trial.outcome.status == reports::result_status::ok) found.made = trial.outcome.made;
    if (trial.outcome.waited) found.waited.push_back(*trial.outcome.waited);
    if (!trial.outcome.slices.empty()) found.slices[block] = trial.outcome.slices;
}

std::uint64_t sample_table::disturbed() const {
    std::uint64_t all = 0;
    for (const auto& counts : counts_) all += counts.disturbed;
    return all;
}

std::vector<sample_table::block_value> sample_table::ratios_by_block(
    compared_cells of, const reports::metric_info& metric) const {
    const auto &ours = in({of.workload, of.who}).metrics, &theirs = in({of.workload, of.to}).metrics;
    const auto mine = ours.find(metric.name), other = theirs.find(metric.name);
    if (mine == ours.end() || other == theirs.end()) return {};
    std::vector<block_value> all;
    if (metric.name == std::string_view{"time"} && are_in_slices(of)) {
        const auto& others = in({of.workload, of.to}).slices;
        for (const auto& [block, slices] : in({of.workload, of.who}).slices)
            if (const auto found = others.find(block); found != others.end())
                all.push_back({block, log_ratio_of_slices(slices, found->second)});
        return all;
    }
    const auto ratios = paired_log_ratios(mine->second, other->second, metric.better);
    for (std::uint64_t block = 0; all.size() < ratios.size(); ++block)
        if (mine->second[block] && other->second[block]) all.push_back({block, ratios[all.size()]});
    return all;
}

std::optional<std::vector<std::optional<double>>> sample_table::ratios_of_slices(compared_cells of) const {
    if (!are_in_slices(of)) return std::nullopt;
    std::vector<std::optional<double>> all;
    for (const auto& [block, log_ratio] : ratios_by_block(of, *reports::find_metric("time"))) {
        all.resize(block + 1);
        all[block] = std::exp(log_ratio);
    }
    return all;
}

std::optional<double> sample_table::waited(cell where) const {
    const auto& all = in(where).waited;
    return all.empty() ? std::nullopt : std::optional{median_of(all)};
}

std::size_t sample_table::layout(std::uint64_t block, std::size_t contender) const {
    return block < layouts_.size() ? layouts_[block][contender] : 0;
}

std::vector<double> sample_table::by_layouts(const std::vector<block_value>& all, compared_cells of) const {
    std::vector<double> values;
    std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> of_layouts;
    for (const auto& [block, value] : all) {
        values.push_back(value);
        of_layouts[{layout(block, of.who), layout(block, of.to)}].push_back(value);
    }
    if (layouts_.empty()) return values;
    values.clear();
    for (const auto& [layouts, of_them] : of_layouts) values.push_back(median_of(of_them));
    return values;
}

std::vector<double> sample_table::log_ratios(compared_cells of, const reports::metric_info& metric) const {
    return by_layouts(ratios_by_block(of, metric), of);
}

std::vector<host_value> sample_table::by_host(std::size_t workload,
                                              const std::vector<block_value>& all) const {
    std::vector<host_value> values;
    if (hosts_.empty() || !layouts_.empty()) return values;
    for (const auto& [block, value] : all) values.push_back({hosts_[workload][block], value});
    const auto is_of_first = [&](const host_value& each) { return each.host == values.front().host; };
    if (std::ranges::all_of(values, is_of_first)) values.clear();
    return values;
}

comparison sample_table::comparison_of(const std::vector<block_value>& all, compared_cells of) const {
    const auto values = by_host(of.workload, all);
    if (values.empty()) return {by_layouts(all, of)};
    auto hosts = medians_of_hosts(values);
    const bool are_few = hosts.size() < many_hosts;
    return {std::move(hosts), are_few};
}

comparison sample_table::comparison_of(compared_cells of, const reports::metric_info& metric) const {
    return comparison_of(ratios_by_block(of, metric), of);
}

std::vector<host_value> sample_table::by_host(compared_cells of, const reports::metric_info& metric) const {
    return by_host(of.workload, ratios_by_block(of, metric));
}

estimate sample_table::estimate_of(std::size_t workload,
                                   const std::vector<std::optional<double>>& values) const {
    std::vector<double> present;
    std::vector<block_value> by_block, logs;
    for (std::uint64_t block = 0; block < values.size(); ++block) {
        if (!values[block]) continue;
        present.push_back(*values[block]);
        by_block.push_back({block, *values[block]});
        if (*values[block] > 0) logs.push_back({block, std::log(*values[block])});
    }
    if (by_host(workload, by_block).empty()) return median_with_interval(present);
    return logs.size() == present.size() ? ratio_from(comparison_of(logs, {workload, 0, 0}))
                                         : bench::estimate_of(comparison_of(by_block, {workload, 0, 0}));
}

sample_table::distances sample_table::distances_from_zero(compared_cells of,
                                                          const reports::metric_info& metric) const {
    const auto &ours = in({of.workload, of.who}).metrics, &theirs = in({of.workload, of.to}).metrics;
    const auto mine = ours.find(metric.name), other = theirs.find(metric.name);
    if (mine == ours.end() || other == theirs.end()) return {};
    const double sign = metric.better == reports::direction::smaller ? -1 : 1;
    std::vector<block_value> log_quotients, differences;
    for (std::uint64_t block = 0; block < std::min(mine->second.size(), other->second.size()); ++block) {
        if (!mine->second[block] || !other->second[block]) continue;
        const double here = std::abs(*mine->second[block]), there = std::abs(*other->second[block]);
        log_quotients.push_back({block, sign * log_quotient(here, there)});
        differences.push_back({block, here - there});
    }
    return {comparison_of(log_quotients, of), comparison_of(differences, of)};
}

std::optional<double> sample_table::layout_deviation(std::size_t workload, std::size_t who,
                                                     const reports::metric_info& metric) const {
    if (layouts_.empty() || !baseline_) return std::nullopt;
    std::vector<layout_contrast> all;
    const auto add = [&](std::size_t other, std::size_t first_layout, bool is_equal) {
        const auto found = ratios_by_block({workload, other, *baseline_}, metric);
        if (found.empty()) return;
        std::vector<double> ratios;
        for (const auto& each : found) ratios.push_back(each.value);
        const double expected = is_equal ? 0 : median_of(ratios);
        for (const auto& [block, ratio] : found)
            all.push_back(
                {block, first_layout + layout(block, other), layout(block, *baseline_), ratio - expected});
    };
    if (aa_copy_) add(*aa_copy_, 0, true);
    if (who != *baseline_) add(who, layouts_max, false);
    return bench::layout_deviation(all);
}

}  // namespace loopbench::bench
