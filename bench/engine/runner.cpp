// The loop over blocks.
#include "bench/engine/runner.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace loopbench::bench {

namespace {

using reports::cell_status;

class runner {
public:
    runner(const run_plan& plan, trial_executor& executor, run_observer& observer, const run_clock& clock)
        : plan_{plan},
          executor_{executor},
          observer_{observer},
          clock_{clock},
          orders_{plan.seed, plan.workloads.size(), plan.contenders.size()} {}

    run_outcome run() {
        exclude_what_cannot_run();
        std::chrono::nanoseconds longest_block{0};
        for (std::uint64_t block = 0; block < plan_.blocks && runnable_ > 0; ++block) {
            const auto start = clock_();
            if (block > 0 && plan_.budget && start + longest_block > *plan_.budget) {
                outcome_.budget_spent = true;
                break;
            }
            run_block(block);
            if (outcome_.interrupted) break;
            ++outcome_.blocks_finished;
            longest_block = std::max(longest_block, clock_() - start);
        }
        return std::move(outcome_);
    }

private:
    const run_plan& plan_;
    trial_executor& executor_;
    run_observer& observer_;
    const run_clock& clock_;
    block_orders orders_;
    run_outcome outcome_;
    std::uint64_t runnable_ = 0;  // cells that are not excluded
    std::uint64_t done_ = 0, total_ = 0;

    std::optional<exclusion>& excluded(cell where) {
        return outcome_.excluded[where.workload][where.contender];
    }

    void exclude_what_cannot_run() {
        outcome_.excluded.assign(plan_.workloads.size(),
                                 std::vector<std::optional<exclusion>>(plan_.contenders.size()));
        for (std::size_t workload = 0; workload < plan_.workloads.size(); ++workload)
            for (std::size_t contender = 0; contender < plan_.contenders.size(); ++contender)
                exclude_if_it_cannot_run({workload, contender});
        total_ = runnable_ * plan_.blocks;
    }

    void exclude_if_it_cannot_run(cell where) {
        const auto& who = plan_.contenders[where.contender];
        if (!who.problem.empty())
            excluded(where) = {cell_status::failed, who.problem};
        else if (std::ranges::find(who.workloads, plan_.workloads[where.workload]) == who.workloads.end())
            excluded(where) = {cell_status::unsupported, "this contender does not have the workload"};
        else
            ++runnable_;
    }

    void run_block(std::uint64_t block) {
        for (const auto where : orders_.next()) {
            if (excluded(where)) continue;
            run_trial(block, where);
            if (outcome_.interrupted) return;
        }
    }

    void run_trial(std::uint64_t block, cell where) {
        const trial_request request{plan_.contenders[where.contender], plan_.workloads[where.workload],
                                    plan_.min_time_s, plan_.size, plan_.trial_limit};
        observer_.before_trial(request, done_, total_);
        trial_record record{block, where, executor_.run(request)};
        if (record.outcome.stopped) {
            outcome_.interrupted = true;
            return;
        }
        ++done_;
        observer_.after_trial(record);
        if (record.outcome.status != cell_status::ok) exclude_from_now_on(record);
        outcome_.trials.push_back(std::move(record));
    }

    void exclude_from_now_on(const trial_record& record) {
        auto reason = record.outcome.reason;
        if (record.outcome.status == cell_status::failed)
            reason = fmt::format("in block {} of {}: {}", record.block + 1, plan_.blocks, reason);
        excluded(record.where) = {record.outcome.status, std::move(reason)};
        --runnable_;
        total_ -= plan_.blocks - record.block - 1;
    }
};

}  // namespace

run_outcome run(const run_plan& plan, trial_executor& executor, run_observer& observer,
                const run_clock& clock) {
    return runner{plan, executor, observer, clock}.run();
}

}  // namespace loopbench::bench
