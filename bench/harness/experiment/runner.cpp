#include "bench/harness/experiment/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <ranges>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "bench/harness/experiment/stopping.hpp"

namespace loopbench::bench {

namespace {

using reports::result_status;

std::optional<exclusion> exclusion_where(const contender& who, bool has_workload) {
    if (!who.problem.empty()) return exclusion{result_status::failed, who.problem};
    if (has_workload) return std::nullopt;
    return exclusion{result_status::unsupported, "this contender does not have the workload"};
}

class runner {
public:
    runner(const run_plan& plan, trial_executor& executor, run_observer& observer, const run_clock& clock,
           run_outcome done, const stopping_rule& enough)
        : plan_{plan},
          executor_{executor},
          observer_{observer},
          clock_{clock},
          enough_{enough},
          orders_{plan.seed, plan.workloads.size(), plan.contenders.size()},
          outcome_{std::move(done)} {}

    run_outcome run() {
        exclude_what_cannot_run();
        remember_what_is_done();
        std::chrono::nanoseconds longest_block{0};
        bool is_first = true;
        for (std::uint64_t block = 0; block < blocks_ && runnable_ > 0; ++block) {
            // The order of each block depends on the blocks before it. Therefore a shard also generates the
            // orders of the blocks that belong to other shards.
            const auto order = orders_.next();
            if (!share_.has(block)) continue;
            const auto start = clock_();
            // A block whose trials were all finished by an earlier run takes no time. Therefore it counts as
            // finished even if the budget is spent.
            if (!std::exchange(is_first, false) && plan_.budget && start + longest_block > *plan_.budget &&
                !is_done(block, order)) {
                outcome_.budget_spent = true;
                break;
            }
            run_block(block, order);
            if (is_over()) break;
            ++outcome_.blocks_finished;
            if (plan_.precision_pct && outcome_.blocks_finished == pilot_blocks)
                aim_for(blocks_after_pilot(plan_, outcome_));
            longest_block = std::max(longest_block, clock_() - start);
            if (enough_ && block + 1 >= old_blocks_ && enough_(outcome_)) {
                outcome_.blocks_planned = outcome_.blocks_finished;
                break;
            }
        }
        return std::move(outcome_);
    }

private:
    using row = std::span<const cell>;

    struct old_attempt {
        std::set<std::size_t> contenders;
        bool disturbed = false;
    };
    using old_row = std::map<std::uint64_t, old_attempt>;

    const run_plan& plan_;
    const shard share_ = plan_.share();
    trial_executor& executor_;
    run_observer& observer_;
    const run_clock& clock_;
    const stopping_rule& enough_;
    block_orders orders_;
    std::deque<contender> laid_out_;
    run_outcome outcome_;
    std::optional<std::uint64_t> first_block_;  // the first block of this session
    std::map<std::pair<std::uint64_t, std::size_t>, old_row> old_;
    // One more than the number of the last block with a trial of an earlier run.
    std::uint64_t old_blocks_ = 0;
    old_row row_;
    std::set<std::size_t> has_context_;
    std::uint64_t runnable_ = 0;
    std::uint64_t blocks_ = blocks_at_first(plan_);
    std::uint64_t done_ = 0, total_ = 0;

    std::optional<exclusion>& excluded(cell where) {
        return outcome_.excluded[where.workload][where.contender];
    }

    std::vector<cell> not_excluded(row trials) {
        std::vector<cell> wanted;
        std::ranges::copy_if(trials, std::back_inserter(wanted),
                             [&](cell where) { return !excluded(where); });
        return wanted;
    }

    void aim_for(std::uint64_t blocks) {
        total_ += runnable_ * (share_.count(blocks) - share_.count(blocks_));
        blocks_ = blocks;
        outcome_.blocks_planned = share_.count(blocks_);
    }

    void exclude_what_cannot_run() {
        const auto before = exclusions_before(plan_);
        if (outcome_.excluded.empty()) outcome_.excluded = before;
        for (std::size_t workload = 0; workload < plan_.workloads.size(); ++workload)
            for (std::size_t contender = 0; contender < plan_.contenders.size(); ++contender) {
                auto& why = excluded({workload, contender});
                if (!why) why = before[workload][contender];
                if (!why) ++runnable_;
            }
        outcome_.blocks_planned = share_.count(blocks_);
        total_ = runnable_ * outcome_.blocks_planned;
    }

    void remember_what_is_done() {
        for (const auto& trial : outcome_.trials) {
            old_blocks_ = std::max(old_blocks_, trial.block + 1);
            auto& old = old_[{trial.block, trial.where.workload}];
            if (!excluded(trial.where) && !was_tried(old, trial.where.contender)) ++done_;
            if (!trial.outcome.context.empty()) has_context_.insert(trial.where.contender);
            auto& attempt = old[trial.attempt];
            attempt.contenders.insert(trial.where.contender);
            attempt.disturbed = attempt.disturbed || !trial.outcome.disturbed.empty();
        }
    }

    static bool was_tried(const old_row& old, std::size_t contender) {
        return std::ranges::any_of(
            old, [&](const auto& attempt) { return attempt.second.contenders.contains(contender); });
    }

    static const old_attempt* whole_attempt(const old_row& old, std::span<const cell> wanted) {
        const auto has_all = [&](const auto& attempt) {
            return std::ranges::all_of(
                wanted, [&](cell where) { return attempt.second.contenders.contains(where.contender); });
        };
        const auto found = std::find_if(old.rbegin(), old.rend(), has_all);
        return found == old.rend() ? nullptr : &found->second;
    }

    bool is_done(std::uint64_t block, row order) {
        for (; !order.empty(); order = order.subspan(plan_.contenders.size())) {
            const auto wanted = not_excluded(order.first(plan_.contenders.size()));
            const auto old = old_.find({block, order.front().workload});
            if (!wanted.empty() && (old == old_.end() || whole_attempt(old->second, wanted) == nullptr))
                return false;
        }
        return true;
    }

    void run_block(std::uint64_t block, row order) {
        for (std::size_t first = 0; first < order.size(); first += plan_.contenders.size()) {
            run_row(block, order.subspan(first, plan_.contenders.size()));
            if (is_over()) return;
        }
    }

    /// Runs a row: the trials of one workload in one block. If an earlier run left this row unfinished, all
    /// trials of the row run again, because they must be close in time.
    void run_row(std::uint64_t block, row trials) {
        row_ = old_.contains({block, trials.front().workload}) ? old_.at({block, trials.front().workload})
                                                               : old_row{};
        const auto* whole = whole_attempt(row_, not_excluded(trials));
        auto attempt = row_.empty() ? 0 : row_.rbegin()->first + 1;
        const auto start = clock_();
        const bool disturbed = whole != nullptr ? whole->disturbed && whole == &row_.begin()->second
                                                : run_attempt(block, trials, attempt++);
        if (is_over() || !disturbed || !may_repeat(clock_() - start)) return;
        run_attempt(block, trials, attempt);
    }

    bool is_over() const { return outcome_.interrupted || outcome_.budget_spent; }

    std::chrono::nanoseconds time_left() const {
        return plan_.budget ? std::min(plan_.trial_limit, *plan_.budget - clock_()) : plan_.trial_limit;
    }

    bool may_repeat(std::chrono::nanoseconds cost) const {
        constexpr std::uint64_t share = 4;
        const auto limit =
            std::max<std::uint64_t>(outcome_.blocks_planned * plan_.workloads.size() / share, 1);
        const bool counted = row_.rbegin()->first > 0;
        return (counted || outcome_.repeated < limit) && (!plan_.budget || clock_() + cost <= *plan_.budget);
    }

    bool run_attempt(std::uint64_t block, row trials, std::uint64_t attempt) {
        laid_out_.clear();
        std::vector<cell> at_once;
        std::ranges::copy_if(trials, std::back_inserter(at_once), [&](cell where) {
            return !excluded(where) && plan_.pairing_of(where) != reports::pairing::sequential;
        });
        const auto before = outcome_.trials.size();
        run_at_once(block, at_once, attempt);
        if (is_over()) return false;
        for (const auto where : trials) {
            if (excluded(where) || std::ranges::find(at_once, where) != at_once.end()) continue;
            run_trial(block, where, attempt);
            if (is_over()) return false;
        }
        return std::any_of(outcome_.trials.begin() + static_cast<std::ptrdiff_t>(before),
                           outcome_.trials.end(),
                           [](const trial_record& trial) { return !trial.outcome.disturbed.empty(); });
    }

    void run_trial(std::uint64_t block, cell where, std::uint64_t attempt) {
        const auto limit = time_left();
        if (limit <= limit.zero()) {
            outcome_.budget_spent = true;
            return;
        }
        const auto request = request_for(block, where, attempt, limit);
        observer_.before_trial(request, done_, total_);
        take(block, where, attempt, executor_.run(request), limit < plan_.trial_limit);
    }

    /// Returns the contender, with the path of the layout that it uses in this block. The reference is valid
    /// until the next attempt.
    const contender& who_in(std::uint64_t block, std::size_t contender) {
        const auto& who = plan_.contenders[contender];
        if (who.layouts.empty()) return who;
        laid_out_.push_back(who);
        laid_out_.back().path = who.layouts[layout_of(plan_, block, contender)];
        return laid_out_.back();
    }

    trial_request request_for(std::uint64_t block, cell where, std::uint64_t attempt,
                              std::chrono::nanoseconds limit) {
        // The record takes a swapped program some microseconds. One block with it is enough, also of a shard.
        if (!first_block_) first_block_ = block;
        return {who_in(block, where.contender),
                plan_.workloads[where.workload],
                plan_.min_time_s,
                plan_.size,
                limit,
                plan_.cpu_for(block, where.workload),
                padding_bytes(plan_.seed, block, where, attempt),
                plan_.slice,
                block == *first_block_};
    }

    /// Runs the trials interleaved or concurrently. If the budget ends before all of these trials have
    /// finished, none of them counts.
    void run_at_once(std::uint64_t block, std::span<const cell> trials, std::uint64_t attempt) {
        if (trials.empty()) return;
        const auto all = plan_.trial_limit * static_cast<std::int64_t>(trials.size());
        const auto limit = plan_.budget ? std::min(all, *plan_.budget - clock_()) : all;
        if (limit <= limit.zero()) {
            outcome_.budget_spent = true;
            return;
        }
        std::vector<trial_request> requests;
        for (const auto where : trials)
            requests.push_back(request_for(block, where, attempt, plan_.trial_limit));
        observer_.before_trial(requests.front(), done_, total_);
        auto outcomes =
            executor_.run_at_once(requests, plan_.pairing_of(trials.front()),
                                  seed_of_slices(plan_.seed, block, trials.front().workload, attempt), limit);
        const bool out_of_time = limit < all && std::ranges::any_of(outcomes, &trial_outcome::timed_out);
        for (std::size_t i = 0; i < trials.size() && !is_over(); ++i)
            take(block, trials[i], attempt, std::move(outcomes[i]), out_of_time);
    }

    void take(std::uint64_t block, cell where, std::uint64_t attempt, trial_outcome outcome, bool had_less) {
        trial_record record{
            block,        where, std::move(outcome), attempt, layout_of(plan_, block, where.contender),
            plan_.machine};
        record.outcome.cpu = plan_.cpu_for(block, where.workload);
        if (record.outcome.stopped) {
            outcome_.interrupted = true;
            return;
        }
        if (record.outcome.timed_out && had_less) {
            outcome_.budget_spent = true;
            return;
        }
        if (!was_tried(row_, where.contender)) ++done_;
        row_[attempt].contenders.insert(where.contender);
        observer_.after_trial(record);
        forget_what_is_written(record);
        if (add_trial(outcome_, plan_, std::move(record))) {
            --runnable_;
            total_ -= share_.count(blocks_) - share_.count(block + 1);
        }
    }

    /// Removes data that would fill the memory during a day of trials: histograms, which are already in
    /// histograms.jsonl, and all contexts of a contender except the first one, because only the first one is
    /// read.
    void forget_what_is_written(trial_record& record) {
        record.outcome.histograms.clear();
        if (!record.outcome.context.empty() && !has_context_.insert(record.where.contender).second)
            record.outcome.context = nlohmann::ordered_json::object();
    }
};

std::optional<exclusion> exclusion_after(const run_plan& plan, const std::vector<trial_record>& before,
                                         const trial_record& record) {
    auto reason = record.outcome.reason;
    switch (record.outcome.status) {
        case result_status::ok:
            return std::nullopt;
        case result_status::failed:
            reason = plan.precision_pct
                         ? fmt::format("in block {}: {}", record.block + 1, reason)
                         : fmt::format("in block {} of {}: {}", record.block + 1, plan.blocks, reason);
            break;
        default:
            std::set<std::uint64_t> tried{record.block};
            for (const auto& other : before) {
                if (other.where != record.where) continue;
                if (other.outcome.status == result_status::ok) return std::nullopt;
                tried.insert(other.block);
            }
            if (tried.size() < blocks_to_try) return std::nullopt;
    }
    return exclusion{record.outcome.status, std::move(reason)};
}

bool is_first_repetition(const trial_record& record, const std::vector<trial_record>& before) {
    if (record.attempt == 0) return false;
    for (const auto& other : before | std::views::reverse) {
        if (other.block != record.block) break;  // the trials are sorted by block
        if (other.where.workload == record.where.workload && other.attempt > 0) return false;
    }
    return true;
}

}  // namespace

std::optional<exclusion> exclusion_before(const contender& who, const std::string& workload) {
    return exclusion_where(who, std::ranges::find(who.workloads, workload) != who.workloads.end());
}

std::vector<std::vector<std::optional<exclusion>>> exclusions_before(const run_plan& plan) {
    std::vector<std::vector<std::optional<exclusion>>> all(plan.workloads.size());
    for (const auto& who : plan.contenders) {
        const std::set<std::string_view> listed(who.workloads.begin(), who.workloads.end());
        for (std::size_t workload = 0; workload < plan.workloads.size(); ++workload)
            all[workload].push_back(exclusion_where(who, listed.contains(plan.workloads[workload])));
    }
    return all;
}

bool add_trial(run_outcome& outcome, const run_plan& plan, trial_record record) {
    if (is_first_repetition(record, outcome.trials)) ++outcome.repeated;
    auto why = exclusion_after(plan, outcome.trials, record);
    const bool given_up = why.has_value();
    if (given_up) outcome.excluded[record.where.workload][record.where.contender] = std::move(why);
    outcome.trials.push_back(std::move(record));
    return given_up;
}

run_outcome run(const run_plan& plan, trial_executor& executor, run_observer& observer,
                const run_clock& clock, run_outcome done, const stopping_rule& enough) {
    return runner{plan, executor, observer, clock, std::move(done), enough}.run();
}

}  // namespace loopbench::bench
