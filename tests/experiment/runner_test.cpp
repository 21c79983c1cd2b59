// Tests the rules of a run with a fake clock and fake trials.
#include "bench/harness/experiment/runner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "bench/harness/experiment/record.hpp"
#include "bench/harness/experiment/samples.hpp"
#include "tests/support/mock_executor.hpp"

namespace loopbench::tests {

namespace {

using namespace std::chrono_literals;
using bench::run_outcome;
using bench::run_plan;
using bench::trial_request;
using reports::result_status;

struct run_result {
    run_outcome outcome;
    std::vector<std::string> ran;
    mock_observer observer;
};

run_result run(
    const run_plan& plan, std::function<bench::trial_outcome(const trial_request&)> answer,
    const bench::run_clock& clock = [] { return 0ns; }) {
    run_result result;
    mock_executor executor{std::move(answer)};
    result.outcome = bench::run(plan, executor, result.observer, clock);
    result.ran = executor.ran;
    return result;
}

TEST(runner, every_block_runs_each_workload_once_per_contender) {
    const auto result = run(small_plan(3), [](const auto&) { return took_ns(1); });
    EXPECT_EQ(result.outcome.blocks_finished, 3U);
    EXPECT_EQ(result.ran.size(), 12U);
    for (const auto* cell : {"asio-epoll yield", "asio-epoll echo", "loop-epoll yield", "loop-epoll echo"})
        EXPECT_EQ(std::ranges::count(result.ran, cell), 3) << cell;
    EXPECT_EQ(result.observer.progress.front(), "0/12");
    EXPECT_EQ(result.observer.progress.back(), "11/12");
}

TEST(runner, each_trial_gets_the_size_the_minimum_time_and_the_time_limit_of_the_plan) {
    auto plan = small_plan(1);
    plan.size = bench::workload_size::small;
    plan.min_time_s = 0.125;
    plan.trial_limit = 3s;
    run(plan, [](const trial_request& request) {
        EXPECT_EQ(request.size, bench::workload_size::small);
        EXPECT_EQ(request.min_time_s, 0.125);
        EXPECT_EQ(request.limit, 3s);
        return took_ns(1);
    });
}

TEST(runner, a_failed_result_is_not_run_again_and_the_run_continues) {
    int trials = 0;
    const auto result = run(small_plan(7), [&](const trial_request& request) {
        const bool bad = request.who.name == "loop-epoll" && request.workload == "echo" && ++trials == 3;
        return bad ? ended(result_status::failed, "killed by SIGSEGV") : took_ns(1);
    });
    const auto& excluded = result.outcome.excluded[1][1];
    ASSERT_TRUE(excluded);
    EXPECT_EQ(excluded->status, result_status::failed);
    EXPECT_EQ(excluded->reason, "in block 3 of 7: killed by SIGSEGV");
    EXPECT_EQ(std::ranges::count(result.ran, "loop-epoll echo"), 3);
    EXPECT_EQ(std::ranges::count(result.ran, "asio-epoll echo"), 7);
    EXPECT_EQ(result.observer.progress.back(), "23/24");
    EXPECT_EQ(result.observer.finished, 24U);
}

TEST(runner, the_runner_gives_up_on_a_result_after_three_unsupported_blocks) {
    const auto result = run(small_plan(5), [](const trial_request& request) {
        return request.who.name == "loop-epoll" ? ended(result_status::unsupported, "io_uring refused")
                                                : took_ns(1);
    });
    EXPECT_EQ(result.ran.size(), 2 * 3U + 2 * 5U);
    EXPECT_EQ(result.outcome.excluded[0][1]->status, result_status::unsupported);
    EXPECT_EQ(result.outcome.excluded[0][1]->reason, "io_uring refused");
}

TEST(runner, a_result_that_is_unsupported_in_a_single_block_is_still_run_in_the_remaining_blocks) {
    for (const int late : {1, 2, 4}) {
        int trials = 0;
        const auto result = run(small_plan(4), [&](const trial_request& request) {
            const bool is_it = request.who.name == "loop-epoll" && request.workload == "echo";
            return is_it && ++trials == late ? ended(result_status::unsupported, "the generator was too late")
                                             : took_ns(1);
        });
        EXPECT_EQ(result.ran.size(), 16U) << late;
        EXPECT_FALSE(result.outcome.excluded[1][1]) << late;
    }
}

TEST(runner, several_unsupported_attempts_in_one_block_count_as_one_unsupported_block) {
    const auto result = run(small_plan(8), [disturbed = 0](const trial_request& request) mutable {
        if (request.who.name == "loop-epoll") return ended(result_status::unsupported, "io_uring refused");
        auto outcome = took_ns(1);
        if (++disturbed <= 4) outcome.disturbed = "it waited";
        return outcome;
    });
    EXPECT_GT(result.outcome.repeated, 0U);
    for (const std::size_t workload : {0U, 1U}) {
        std::set<std::uint64_t> blocks;
        for (const auto& trial : result.outcome.trials)
            if (trial.where == bench::cell{workload, 1}) blocks.insert(trial.block);
        EXPECT_EQ(blocks, (std::set<std::uint64_t>{0, 1, 2}));
    }
}

// A contender can report a workload as unsupported in one block because of a temporary problem.
TEST(runner, a_result_that_already_has_a_number_is_run_again_after_an_unsupported_block) {
    int trials = 0;
    const auto result = run(small_plan(4), [&](const trial_request& request) {
        const bool late = request.who.name == "loop-epoll" && request.workload == "echo" && ++trials == 2;
        return late ? ended(result_status::unsupported, "the generator was too late") : took_ns(1);
    });
    EXPECT_EQ(result.ran.size(), 16U);
    EXPECT_FALSE(result.outcome.excluded[1][1]);
    const bench::sample_table samples{small_plan(4), result.outcome};
    const auto& times = samples.of({1, 1}).at("time");
    EXPECT_EQ(std::ranges::count_if(times, [](const auto& time) { return !time; }), 1);
    EXPECT_EQ(times.size(), 4U);
}

TEST(runner, interleaved_trials_that_an_orphaned_process_disturbed_are_repeated) {
    auto plan = small_plan(4);
    plan.pairings = {reports::pairing::interleaved, reports::pairing::interleaved};
    for (const auto& who : plan.contenders)
        plan.described.push_back(reports::describe(who.name, {{"slices", "1"}}));
    int trials = 0;
    const auto result = run(plan, [&](const auto&) {
        auto outcome = took_ns(1);
        if (++trials == 1) outcome.disturbed = "the process sleep, which x orphaned, ran at the same time";
        return outcome;
    });
    EXPECT_EQ(result.ran.size(), 16U + 2U);
    EXPECT_EQ(result.outcome.repeated, 1U);
    EXPECT_EQ(bench::sample_table(plan, result.outcome).disturbed(), 0U);
}

TEST(runner, a_workload_that_a_contender_lacks_is_not_run) {
    auto plan = small_plan(2);
    plan.contenders[1].workloads = {"yield"};
    plan.contenders.push_back({"broken", "", {}, "cannot list the contender's workloads: exit code 1"});
    const auto result = run(plan, [](const auto&) { return took_ns(1); });
    EXPECT_EQ(result.ran.size(), 6U);
    EXPECT_EQ(result.outcome.excluded[1][1]->status, result_status::unsupported);
    EXPECT_EQ(result.outcome.excluded[1][1]->reason, "this contender does not have the workload");
    EXPECT_EQ(result.outcome.excluded[0][2]->status, result_status::failed);
    EXPECT_EQ(result.outcome.excluded[0][2]->reason, "cannot list the contender's workloads: exit code 1");
}

TEST(runner, the_run_stops_before_a_block_that_would_exceed_the_budget) {
    auto plan = small_plan(10);
    plan.budget = 10s;
    std::chrono::nanoseconds now{1s};
    const auto result = run(
        plan,
        [&](const auto&) {
            now += 750ms;  // a block takes 3 s; the blocks end at 4 s, 7 s and 10 s
            return took_ns(1);
        },
        [&] { return now; });
    EXPECT_EQ(result.outcome.blocks_finished, 3U);
    EXPECT_TRUE(result.outcome.budget_spent);
    EXPECT_FALSE(result.outcome.interrupted);
}

TEST(runner, the_longest_block_so_far_decides_whether_another_block_fits_into_the_budget) {
    auto plan = small_plan(10);
    plan.budget = 12'500ms;
    std::chrono::nanoseconds now{0};
    int trials = 0;
    const auto result = run(
        plan,
        [&](const auto&) {
            now += ++trials <= 4 ? 1500ms : 100ms;  // the first block takes 6 s, each later block 0.4 s
            return took_ns(1);
        },
        [&] { return now; });
    EXPECT_EQ(result.outcome.blocks_finished, 3U);  // at 6.8 s, another block of 6 s would exceed the budget
}

TEST(runner, all_blocks_run_if_they_fit_into_the_budget) {
    auto plan = small_plan(2);
    plan.budget = 1001ms;
    const auto all = run(
        plan, [](const auto&) { return took_ns(1); }, [] { return 1s; });
    EXPECT_EQ(all.outcome.blocks_finished, 2U);
    EXPECT_FALSE(all.outcome.budget_spent);
}

TEST(runner, a_resumed_run_whose_budget_is_already_spent_keeps_all_finished_blocks) {
    auto plan = small_plan(5);
    const auto answer = [](const trial_request&) { return took_ns(1); };
    auto done = outcome_of(plan, answer);
    std::erase_if(done.trials, [](const auto& trial) { return trial.block >= 3; });
    done.blocks_finished = 0;
    plan.budget = 1s;
    mock_executor executor{answer};
    mock_observer observer;
    const auto resumed = bench::run(
        plan, executor, observer, [] { return 2s; }, std::move(done));
    EXPECT_EQ(resumed.blocks_finished, 3U);
    EXPECT_TRUE(resumed.budget_spent);
    EXPECT_TRUE(executor.ran.empty());
}

TEST(runner, no_trial_begins_after_the_budget_is_spent_even_in_the_first_block) {
    auto plan = small_plan(2);
    plan.budget = 2500ms;
    std::chrono::nanoseconds now{0};
    const auto result = run(
        plan,
        [&](const auto&) {
            now += 1s;
            return took_ns(1);
        },
        [&] { return now; });
    EXPECT_EQ(result.outcome.trials.size(), 3U);
    EXPECT_EQ(result.outcome.blocks_finished, 0U);
    EXPECT_TRUE(result.outcome.budget_spent);
}

TEST(runner, a_hanging_trial_fails_at_its_time_limit_and_is_dropped_if_the_budget_ends_earlier) {
    auto plan = small_plan(2);
    plan.budget = 8s;
    plan.trial_limit = 5s;
    std::chrono::nanoseconds now{0};
    std::vector<std::chrono::nanoseconds> limits;
    const auto result = run(
        plan,
        [&](const trial_request& request) {
            limits.push_back(request.limit);
            now += request.limit;
            auto outcome = ended(result_status::failed, "no result");
            outcome.timed_out = true;
            return outcome;
        },
        [&] { return now; });
    EXPECT_EQ(limits, (std::vector<std::chrono::nanoseconds>{5s, 3s}));
    EXPECT_EQ(result.outcome.trials.size(), 1U);
    EXPECT_TRUE(result.outcome.budget_spent);
    EXPECT_EQ(now, 8s);
}

TEST(runner, an_interrupt_drops_the_running_trial_and_keeps_the_finished_trials) {
    int trials = 0;
    const auto result =
        run(small_plan(3), [&](const auto&) { return ++trials == 6 ? stopped() : took_ns(1); });
    EXPECT_TRUE(result.outcome.interrupted);
    EXPECT_EQ(result.outcome.trials.size(), 5U);
    EXPECT_EQ(result.observer.finished, 5U);
    EXPECT_EQ(result.outcome.blocks_finished, 1U);
    EXPECT_EQ(result.ran.size(), 6U);
}

TEST(runner, the_run_ends_if_every_result_has_failed) {
    const auto result = run(small_plan(5), [](const auto&) { return ended(result_status::failed, "no"); });
    EXPECT_EQ(result.ran.size(), 4U);
    EXPECT_EQ(result.outcome.blocks_finished, 1U);
}

std::string spelled(const trial_request& request) {
    return request.who.name + " " + request.workload + " " + std::to_string(request.padding_bytes) + " " +
           std::to_string(request.cpu.value_or(-1));
}

TEST(runner, a_shard_runs_its_blocks_with_the_same_requests_as_an_unsharded_run) {
    auto plan = small_plan(10);
    plan.cpus = {0, 1, 2, 3};
    plan.cores = {1, 1};
    add_aa_copy(plan);
    const auto asked = [&](std::optional<bench::shard> part) {
        plan.part = part;
        plan.machine = part ? std::optional<std::string>{"here"} : std::nullopt;
        std::map<std::uint64_t, std::vector<std::string>> by_block;
        std::vector<std::string> requests;
        const auto result = run(plan, [&](const auto& request) {
            requests.push_back(spelled(request));
            return took_ns(1);
        });
        for (std::size_t i = 0; i < requests.size(); ++i)
            by_block[result.outcome.trials[i].block].push_back(requests[i]);
        EXPECT_EQ(result.outcome.blocks_finished, plan.share().count(10));
        EXPECT_EQ(result.outcome.blocks_planned, plan.share().count(10));
        EXPECT_EQ(result.outcome.trials.front().machine, plan.machine);
        const auto trials = std::to_string(6 * plan.share().count(10));
        EXPECT_EQ(result.observer.progress.front(), "0/" + trials);
        EXPECT_EQ(result.observer.progress.back(), std::to_string(std::stoi(trials) - 1) + "/" + trials);
        return by_block;
    };
    const auto whole = asked(std::nullopt);
    auto all = asked(bench::shard{1, 4});
    EXPECT_EQ(all.size(), 3U);
    for (const std::uint64_t number : {2U, 3U, 4U}) all.merge(asked(bench::shard{number, 4}));
    EXPECT_EQ(all, whole);
}

TEST(runner, a_resumed_shard_repeats_only_the_workload_that_was_interrupted) {
    auto plan = small_plan(8);
    plan.part = bench::shard{2, 3};
    const auto all = run(plan, [](const auto&) { return took_ns(1); });
    auto cut = all.outcome;
    cut.trials.resize(5);
    cut.blocks_finished = 0;
    mock_executor executor{[](const auto&) { return took_ns(1); }};
    mock_observer observer;
    plan.machine = "another one";
    const auto rest = bench::run(
        plan, executor, observer, [] { return 0ns; }, cut);
    EXPECT_EQ(rest.blocks_finished, 3U);
    // All trials of the interrupted workload run again, because compared trials must come from one machine.
    EXPECT_EQ(executor.ran.size(), 12U - 4U);
    std::map<std::pair<std::uint64_t, std::size_t>, std::set<std::optional<std::string>>> machines;
    const bench::counting_attempts tried{rest};
    for (const auto& trial : rest.trials)
        if (tried.counts(trial.block, trial.where.workload, trial.attempt))
            machines[{trial.block, trial.where.workload}].insert(trial.machine);
    EXPECT_EQ(machines.size(), 6U);
    for (const auto& [row, of_it] : machines) EXPECT_EQ(of_it.size(), 1U) << row.first;
}

TEST(runner, the_budget_of_a_shard_applies_only_to_the_blocks_of_the_shard) {
    auto plan = small_plan(12);
    plan.part = bench::shard{2, 2};
    plan.budget = 10s;
    std::chrono::nanoseconds now{0};
    const auto result = run(
        plan,
        [&](const auto&) {
            now += 750ms;
            return took_ns(1);
        },
        [&] { return now; });
    EXPECT_EQ(result.outcome.blocks_finished, 3U);
    EXPECT_EQ(result.outcome.blocks_planned, 6U);
    EXPECT_TRUE(result.outcome.budget_spent);
}

TEST(runner, a_shard_without_blocks_and_a_shard_with_a_target_precision_are_refused) {
    auto plan = small_plan(3);
    plan.part = bench::shard{1, 3};
    EXPECT_NO_THROW(bench::refuse_impossible_part(plan));
    plan.part = bench::shard{1, 4};
    EXPECT_THROW(bench::refuse_impossible_part(plan), bench::usage_error) << "one shard would have no block";
    plan.part = bench::shard{1, 2};
    plan.precision_pct = 1;
    EXPECT_THROW(bench::refuse_impossible_part(plan), bench::usage_error);
}

TEST(runner, each_trial_records_the_layout_that_ran_even_after_the_run_was_resumed) {
    auto plan = small_plan(12);
    for (auto& who : plan.contenders)
        for (const auto* layout : {"0", "1", "2", "3", "4", "5"}) who.layouts.emplace_back(who.name + layout);
    std::vector<std::string> files;
    const auto all = run(plan, [&](const trial_request& request) {
        files.push_back(request.who.path.native());
        return took_ns(1);
    });
    for (std::size_t i = 0; i < files.size(); ++i) {
        const auto& trial = all.outcome.trials[i];
        EXPECT_EQ(files[i], plan.contenders[trial.where.contender].name + std::to_string(trial.layout));
    }
    EXPECT_EQ(std::set(files.begin(), files.end()).size(), 12U);

    auto cut = all.outcome;
    cut.trials.resize(21);
    const auto rest = outcome_of(
        plan, [](const auto&) { return took_ns(1); }, cut);
    for (const auto& trial : rest.trials) {
        const auto same = std::ranges::find_if(all.outcome.trials, [&](const auto& other) {
            return other.block == trial.block && other.where == trial.where;
        });
        EXPECT_EQ(trial.layout, same->layout) << "block " << trial.block;
    }
}

}  // namespace

}  // namespace loopbench::tests
