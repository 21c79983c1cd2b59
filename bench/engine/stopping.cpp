// Width alone, never where an interval lies; see the header for why.
#include "bench/engine/stopping.hpp"

#include <algorithm>
#include <cmath>

#include "bench/engine/samples.hpp"
#include "bench/statistics/median.hpp"

namespace loopbench::bench {

std::uint64_t blocks_for(std::span<const double> log_ratios, double precision_pct) {
    constexpr double most = 1e6;
    const auto found = median_with_interval(log_ratios);
    if (!found.low || !found.high) return pilot_blocks;
    const double reach = std::max(found.median - *found.low, *found.high - found.median);
    const double times_wider = reach / std::log1p(precision_pct / 100);
    const double needed = static_cast<double>(log_ratios.size()) * times_wider * times_wider;
    return std::max(pilot_blocks, static_cast<std::uint64_t>(std::ceil(std::min(needed, most))));
}

std::uint64_t blocks_for_all(const run_plan& plan, const run_outcome& outcome) {
    auto most = pilot_blocks;
    const auto baseline = plan.baseline_index();
    if (!plan.precision_pct || !baseline) return most;
    const sample_table samples{plan, outcome};
    const auto& time = *reports::find_metric("time");
    for (std::size_t workload = 0; workload < plan.workloads.size(); ++workload)
        for (std::size_t who = 0; who < plan.contenders.size(); ++who) {
            if (who == *baseline || outcome.excluded[workload][who] || outcome.excluded[workload][*baseline])
                continue;
            const auto log_ratios = samples.log_ratios(workload, who, *baseline, time);
            if (!log_ratios.empty()) most = std::max(most, blocks_for(log_ratios, *plan.precision_pct));
        }
    return most;
}

}  // namespace loopbench::bench
