#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/harness/experiment/plan.hpp"
#include "bench/harness/experiment/runner.hpp"

namespace loopbench::bench {

struct ratio_so_far {
    std::string_view metric;
    double ratio = 1;  // the median of the blocks' ratios; above 1 is better than the baseline
};

class ratios_so_far {
public:
    explicit ratios_so_far(const run_plan& plan) : plan_{plan}, baseline_{plan.baseline_index()} {}

    void take(const trial_record& trial);
    /// Returns the contender's ratio to the baseline on this workload so far. Returns nothing for the
    /// baseline and its A/A copy, or if no block has trials of the contender and of the baseline yet.
    [[nodiscard]] std::optional<ratio_so_far> of(std::string_view workload, std::string_view contender) const;

private:
    using values = std::vector<std::optional<double>>;  // indexed by block

    const run_plan& plan_;
    std::optional<std::size_t> baseline_;
    std::map<std::pair<std::string_view, std::string_view>, values> cells_;
};

}  // namespace loopbench::bench
