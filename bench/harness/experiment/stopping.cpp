// The number of blocks depends only on the widths of intervals and never on their positions; stopping.hpp
// explains why.
#include "bench/harness/experiment/stopping.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "bench/harness/experiment/samples.hpp"
#include "bench/harness/statistics/median.hpp"
#include "bench/harness/statistics/sign_test.hpp"
#include "bench/harness/statistics/verdict.hpp"

namespace loopbench::bench {

namespace {

std::set<std::pair<std::size_t, std::size_t>> failed_in_pilot(const run_outcome& outcome) {
    std::set<std::pair<std::size_t, std::size_t>> cells;
    for (const auto& trial : outcome.trials)
        if (trial.block < pilot_blocks && trial.outcome.status == reports::result_status::failed)
            cells.insert({trial.where.workload, trial.where.contender});
    return cells;
}

/// Returns the maximum number of blocks. With a precision, each pair of layouts runs in only one block,
/// because further blocks with the same pair add no information about the layouts.
std::uint64_t most_blocks(const run_plan& plan) {
    const std::uint64_t pairs = plan.layout_pairs();
    return plan.precision_pct && pairs > 0 ? std::min(plan.blocks, pairs) : plan.blocks;
}

}  // namespace

std::uint64_t blocks_for(std::span<const double> log_ratios, double precision_pct) {
    constexpr double most = 1e6;
    const auto found = median_with_interval(log_ratios);
    if (!found.low || !found.high) return pilot_blocks;
    const double reach = std::max(found.median - *found.low, *found.high - found.median);
    const double times_wider = reach / std::log1p(precision_pct / 100);
    const double needed = static_cast<double>(log_ratios.size()) * times_wider * times_wider;
    return std::max(pilot_blocks, static_cast<std::uint64_t>(std::ceil(std::min(needed, most))));
}

std::uint64_t blocks_at_first(const run_plan& plan) {
    return plan.precision_pct ? std::min(most_blocks(plan), pilot_blocks) : plan.blocks;
}

std::uint64_t blocks_after_pilot(const run_plan& plan, const run_outcome& outcome) {
    auto most = pilot_blocks;
    const auto baseline = plan.baseline_index();
    if (!plan.precision_pct || !baseline) return blocks_at_first(plan);
    const sample_table samples{plan, outcome, pilot_blocks};
    const auto failed = failed_in_pilot(outcome);
    const auto& time = *reports::find_metric("time");
    for (std::size_t workload = 0; workload < plan.workloads.size(); ++workload)
        for (std::size_t who = 0; who < plan.contenders.size(); ++who) {
            if (who == *baseline || failed.contains({workload, who}) ||
                failed.contains({workload, *baseline}))
                continue;
            const auto log_ratios = samples.log_ratios({workload, who, *baseline}, time);
            if (!log_ratios.empty()) most = std::max(most, blocks_for(log_ratios, *plan.precision_pct));
        }
    return std::min(most_blocks(plan), most);
}

std::uint64_t blocks_for_any_verdict(const run_plan& plan) {
    const auto baseline_and_copy = plan.aa_copy ? std::size_t{2} : std::size_t{1};
    const auto others = std::max(plan.contenders.size(), baseline_and_copy + 1) - baseline_and_copy;
    const auto comparisons = std::max(plan.workloads.size(), std::size_t{1}) * others;
    return fewest_pairs(level_for_one_more(0, comparisons, verdict_rule{}.alpha(), plan.how));
}

}  // namespace loopbench::bench
