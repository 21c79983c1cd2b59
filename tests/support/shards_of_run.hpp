#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "mock_executor.hpp"

namespace loopbench::tests {

inline bench::run_outcome outcome_of_shard(
    bench::run_plan plan, bench::shard part, const std::string& machine,
    const std::function<bench::trial_outcome(const bench::trial_request&)>& answer) {
    plan.part = part;
    plan.machine = machine;
    return outcome_of(plan, answer);
}

inline bench::run_outcome outcome_of_shards(
    const bench::run_plan& plan, std::uint64_t shards,
    const std::function<std::string(std::uint64_t)>& machine,
    const std::function<bench::trial_outcome(const bench::trial_request&, const std::string&)>& answer) {
    bench::run_outcome all;
    for (std::uint64_t number = 1; number <= shards; ++number) {
        const auto where = machine(number);
        auto one = outcome_of_shard(plan, {number, shards}, where,
                                    [&](const auto& request) { return answer(request, where); });
        all.merged.push_back({{number, shards}, {}, {}, true, one.blocks_finished});
        all.trials.insert(all.trials.end(), one.trials.begin(), one.trials.end());
        all.excluded = one.excluded;
        all.blocks_finished += one.blocks_finished;
        all.repeated += one.repeated;
    }
    all.blocks_planned = plan.blocks;
    std::multimap<std::uint64_t, bench::trial_record> by_block;  // keeps the order of a block's trials
    for (auto& trial : all.trials) by_block.emplace(trial.block, std::move(trial));
    all.trials.clear();
    for (auto& [block, trial] : by_block) all.trials.push_back(std::move(trial));
    return all;
}

}  // namespace loopbench::tests
