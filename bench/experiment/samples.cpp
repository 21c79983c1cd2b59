// Which attempt at a block counts, and which block a sample belongs to.
#include "bench/experiment/samples.hpp"

#include <algorithm>
#include <cmath>

#include "bench/statistics/median.hpp"

namespace loopbench::bench {

namespace {

struct attempt {
    std::size_t trials = 0;
    std::size_t ended = 0;  // of those, the last ones of their cells
};

/// A contender that failed or cannot do it is not run again, so that a whole attempt may have fewer trials
/// than the one before.
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

}  // namespace

counting_attempts::counting_attempts(const run_outcome& outcome) {
    std::map<row, std::map<std::uint64_t, attempt>> rows;
    for (const auto& trial : outcome.trials) {
        auto& found = rows[{trial.block, trial.where.workload}][trial.attempt];
        ++found.trials;
        found.ended += trial.outcome.status == reports::cell_status::ok ? 0U : 1U;
    }
    for (const auto& [where, all] : rows) best_[where] = most_complete(all);
}

bool counting_attempts::counts(std::uint64_t block, std::size_t workload, std::uint64_t attempt) const {
    const auto found = best_.find({block, workload});
    return found != best_.end() && found->second == attempt;
}

namespace {

/// Within a round, some milliseconds, the machine is the same for all; from round to round and from core to
/// core it is not. A round that one of them did not reach is left out, and so is a block without any.
std::vector<double> log_ratios_of_turns(const std::map<std::uint64_t, std::vector<double>>& mine,
                                        const std::map<std::uint64_t, std::vector<double>>& theirs) {
    std::vector<double> blocks;
    for (const auto& [block, ours] : mine) {
        const auto found = theirs.find(block);
        if (found == theirs.end()) continue;
        std::vector<double> rounds;
        for (std::size_t i = 0; i < std::min(ours.size(), found->second.size()); ++i)
            rounds.push_back(std::log(found->second[i] / ours[i]));
        blocks.push_back(median_of(rounds));
    }
    return blocks;
}

}  // namespace

sample_table::sample_table(const run_plan& plan, const run_outcome& outcome, std::uint64_t blocks) {
    cells_.assign(plan.workloads.size(), std::vector<samples_by_metric>(plan.contenders.size()));
    turns_.assign(plan.workloads.size(), std::vector<turns_by_block>(plan.contenders.size()));
    ways_.assign(plan.workloads.size(), std::vector<reports::way>(plan.contenders.size()));
    const counting_attempts tried{outcome};
    for (const auto& trial : outcome.trials)
        if (trial.block < blocks && tried.counts(trial.block, trial.where.workload, trial.attempt))
            take(trial);
}

void sample_table::take(const trial_record& trial) {
    ++trials_;
    if (!trial.outcome.disturbed.empty()) ++disturbed_;
    auto& metrics = cells_[trial.where.workload][trial.where.contender];
    for (const auto& [name, value] : trial.outcome.metrics) metrics[name];
    for (auto& [name, values] : metrics) {
        const auto printed = trial.outcome.metrics.find(name);
        values.resize(std::max(values.size(), trial.block + 1));
        values[trial.block] = printed == trial.outcome.metrics.end() ? std::nullopt : printed->second;
    }
    ways_[trial.where.workload][trial.where.contender] = trial.outcome.made;
    if (!trial.outcome.turns.empty())
        turns_[trial.where.workload][trial.where.contender][trial.block] = trial.outcome.turns;
}

std::vector<double> sample_table::log_ratios(std::size_t workload, std::size_t who, std::size_t to,
                                             const reports::metric_info& metric) const {
    const auto &ours = of({workload, who}), &theirs = of({workload, to});
    const auto mine = ours.find(metric.name), other = theirs.find(metric.name);
    if (mine == ours.end() || other == theirs.end()) return {};
    if (metric.name == std::string_view{"time"} && way_of({workload, who}) == reports::way::turns &&
        way_of({workload, to}) == reports::way::turns)
        return log_ratios_of_turns(turns_[workload][who], turns_[workload][to]);
    return metric.better == reports::direction::smaller ? paired_log_ratios(other->second, mine->second)
                                                        : paired_log_ratios(mine->second, other->second);
}

}  // namespace loopbench::bench
