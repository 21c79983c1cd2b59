#pragma once

#include <map>
#include <string_view>

#include "bench/harness/experiment/samples.hpp"
#include "bench/harness/statistics/verdict.hpp"
#include "reports/model/metrics.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// The pairs of samples of a run's results. The object keeps references to the names in the plan and to the
/// samples.
class pairs_of_run {
public:
    pairs_of_run(const run_plan& plan, const sample_table& samples) : samples_{samples} {
        for (std::size_t i = 0; i < plan.workloads.size(); ++i) workloads_[plan.workloads[i]] = i;
        for (std::size_t i = 0; i < plan.contenders.size(); ++i) contenders_[plan.contenders[i].name] = i;
    }

    /// Returns the comparison of two results, which must have the same workload and metric. The log ratios
    /// are above 0 if `item` is better.
    [[nodiscard]] comparison comparison_of(const reports::result& item, const reports::result& to) const {
        return samples_.comparison_of(
            {workloads_.at(item.workload), contenders_.at(item.contender), contenders_.at(to.contender)},
            *reports::find_metric(item.metric));
    }

private:
    const sample_table& samples_;
    std::map<std::string_view, std::size_t> workloads_, contenders_;
};

}  // namespace loopbench::bench
