#include "bench/harness/cli/session/ratios_so_far.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "bench/catalog/workload_table.hpp"
#include "bench/harness/experiment/samples.hpp"
#include "bench/harness/statistics/median.hpp"
#include "reports/model/metrics.hpp"

namespace loopbench::bench {

namespace {

const reports::metric_info& metric_of(std::string_view workload) {
    const auto* const known = find_workload(workload);
    const auto* const metric =
        reports::find_metric(known != nullptr ? known->primary_metrics.front() : "time");
    return metric != nullptr ? *metric : *reports::find_metric("time");
}

}  // namespace

void ratios_so_far::take(const trial_record& trial) {
    const auto& workload = plan_.workloads[trial.where.workload];
    const auto metric = metric_of(workload).name;
    if (!why_incomparable(workload, metric).empty()) return;
    const auto found = trial.outcome.metrics.find(std::string{metric});
    if (found == trial.outcome.metrics.end()) return;
    auto& blocks = cells_[{workload, plan_.contenders[trial.where.contender].name}];
    blocks.resize(std::max(blocks.size(), static_cast<std::size_t>(trial.block) + 1));
    blocks[trial.block] = found->second;
}

std::optional<ratio_so_far> ratios_so_far::of(std::string_view workload, std::string_view contender) const {
    if (!baseline_ || contender == plan_.baseline ||
        (plan_.aa_copy && contender == plan_.contenders[*plan_.aa_copy].name))
        return std::nullopt;
    const auto mine = cells_.find({workload, contender}), theirs = cells_.find({workload, plan_.baseline});
    if (mine == cells_.end() || theirs == cells_.end()) return std::nullopt;
    const auto& metric = metric_of(workload);
    const auto log_ratios = paired_log_ratios(mine->second, theirs->second, metric.better);
    if (log_ratios.empty()) return std::nullopt;
    return ratio_so_far{metric.name, std::exp(median_of(log_ratios))};
}

}  // namespace loopbench::bench
