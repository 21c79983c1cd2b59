// Tests the value that tells whether a commit is nearer to GOOD or to BAD.
#include "bench/harness/bisection/halfway.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/mock_executor.hpp"
#include "tests/support/says.hpp"

namespace loopbench::tests {

namespace {

bench::run_plan plan_of_step(std::uint64_t blocks) {
    bench::run_plan plan;
    plan.contenders = {{"good", "", {"sort"}, ""}, {"commit", "", {"sort"}, ""}, {"bad", "", {"sort"}, ""}};
    plan.workloads = {"sort"};
    plan.baseline = "good";
    plan.blocks = blocks;
    return plan;
}

std::vector<double> distances(double good, double commit, double bad, std::string_view metric = "time") {
    const auto plan = plan_of_step(3);
    const auto outcome = outcome_of(plan, [&](const bench::trial_request& request) {
        bench::trial_outcome trial;
        trial.metrics["time"] = 1;
        trial.metrics[std::string{metric}] = request.who.name == "good"     ? good
                                             : request.who.name == "commit" ? commit
                                                                            : bad;
        return trial;
    });
    return bench::distances_from_halfway(plan, outcome, *reports::find_metric(metric));
}

TEST(halfway, a_block_is_above_zero_if_the_commit_is_nearer_to_the_slow_program) {
    const auto like_bad = distances(100, 110, 110), like_good = distances(100, 100, 110);
    ASSERT_EQ(like_bad.size(), 3U);
    EXPECT_NEAR(like_bad.front(), std::log(1.1) / 2, 1e-12);
    EXPECT_NEAR(like_good.front(), -std::log(1.1) / 2, 1e-12);
    EXPECT_GT(distances(100, 106, 110).front(), 0);
    EXPECT_LT(distances(100, 104, 110).front(), 0);
}

TEST(halfway, the_sign_is_the_opposite_for_metrics_whose_larger_values_are_better) {
    EXPECT_GT(distances(110, 100, 100, "throughput").front(), 0);
    EXPECT_LT(distances(110, 110, 100, "throughput").front(), 0);
}

TEST(halfway, blocks_without_three_values_above_zero_are_left_out) {
    EXPECT_TRUE(distances(0, 100, 110, "rss_peak").empty());
    const auto plan = plan_of_step(4);
    const auto outcome = outcome_of(plan, [trials = 0](const bench::trial_request& request) mutable {
        auto trial = took_ns(10);
        if (request.who.name == "bad" && ++trials == 2) trial.metrics["time"].reset();
        return trial;
    });
    EXPECT_EQ(bench::distances_from_halfway(plan, outcome, *reports::find_metric("time")).size(), 3U);
}

TEST(halfway, interleaved_trials_are_compared_by_their_rounds) {
    auto plan = plan_of_step(1);
    plan.pairings = {reports::pairing::interleaved};
    const auto distance_of = [&](double own) {
        const auto outcome = outcome_of(plan, [&](const bench::trial_request& request) {
            auto trial = took_ns(1);  // the times of whole trials do not count
            trial.made = reports::pairing::interleaved;
            trial.slices.assign(3, request.who.name == "good" ? 100 : request.who.name == "bad" ? 110 : own);
            return trial;
        });
        const auto all = bench::distances_from_halfway(plan, outcome, *reports::find_metric("time"));
        return all.size() == 1 ? all.front() : 0;
    };
    EXPECT_NEAR(distance_of(110), std::log(1.1) / 2, 1e-12);
    EXPECT_NEAR(distance_of(100), -std::log(1.1) / 2, 1e-12);
}

TEST(halfway, the_reason_for_missing_distances_is_the_value_of_the_commit) {
    const auto plan = plan_of_step(3);
    const auto& metric = *reports::find_metric("allocations");
    const auto why = [&](std::optional<double> commit, double good) {
        const auto outcome = outcome_of(plan, [&](const bench::trial_request& request) {
            auto trial = took_ns(1);
            trial.metrics["allocations"] = request.who.name == "commit" ? commit : good;
            return trial;
        });
        return bench::why_no_distance(plan, outcome, metric);
    };
    EXPECT_SAYS(why(0, 5), "is 0");
    EXPECT_SAYS(why(std::nullopt, 5), "no value");
    EXPECT_SAYS(why(5, 0), "GOOD or BAD");
}

bench::run_outcome run_until(const bench::run_plan& plan, std::size_t trials, bench::run_outcome done = {}) {
    mock_executor executor{[](const auto&) { return took_ns(1); }};
    mock_observer observer;
    const bench::stopping_rule enough = [&](const bench::run_outcome& so_far) {
        return so_far.trials.size() >= trials;
    };
    return bench::run(
        plan, executor, observer, [] { return std::chrono::nanoseconds{0}; }, std::move(done), enough);
}

TEST(halfway, a_run_ends_when_the_stopping_rule_returns_true) {
    const auto plan = plan_of_step(50);
    const auto outcome = run_until(plan, 21);
    EXPECT_EQ(outcome.trials.size(), 21U);
    EXPECT_EQ(outcome.blocks_finished, 7U);
    EXPECT_EQ(outcome.blocks_planned, 7U) << "the report does not call the run incomplete";
}

TEST(halfway, a_continued_run_counts_the_blocks_of_the_earlier_run) {
    const auto plan = plan_of_step(50);
    for (const std::size_t trials : {21U, 24U}) {
        auto earlier = run_until(plan, 21);
        earlier.blocks_finished = 0;
        const auto outcome = run_until(plan, trials, std::move(earlier));
        EXPECT_EQ(outcome.blocks_finished, trials / 3);
        EXPECT_EQ(outcome.blocks_planned, trials / 3);
    }
}

}  // namespace

}  // namespace loopbench::tests
