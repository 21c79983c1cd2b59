// Tests the time limits of the search for the causes of slowdowns.
#include "bench/harness/cli/session/cause_pass.hpp"

#include <gtest/gtest.h>

#include "bench/harness/trial/contender_list.hpp"
#include "tests/support/measured.hpp"
#include "tests/support/says.hpp"

namespace loopbench::bench {

namespace {

using namespace std::chrono_literals;

run_plan plan_with(std::optional<std::chrono::nanoseconds> budget, cause_options causes = {}) {
    run_plan plan;
    plan.budget = budget;
    plan.causes = causes;
    return plan;
}

TEST(cause_pass, the_trials_leave_a_part_of_the_budget) {
    EXPECT_EQ(reserved_for_causes(plan_with(10s)), 1s);
    EXPECT_EQ(reserved_for_causes(plan_with(1h)), 30s);
    EXPECT_EQ(reserved_for_causes(plan_with(30s, {.profile = true})), 10s);
    EXPECT_EQ(reserved_for_causes(plan_with({})), 0s);
    auto without = plan_with(10s);
    without.causes.reset();
    EXPECT_EQ(reserved_for_causes(without), 0s);
}

TEST(cause_pass, the_search_does_not_exceed_the_budget) {
    EXPECT_EQ(time_for_causes(plan_with(10s), 8s), 2s);
    EXPECT_EQ(time_for_causes(plan_with(10s), 11s), -1s);
    EXPECT_EQ(time_for_causes(plan_with(10h), 1s), 1min);
    EXPECT_EQ(time_for_causes(plan_with({}), 1s), 1min);
    EXPECT_EQ(time_for_causes(plan_with({}), 1h), 6min);
    EXPECT_EQ(time_for_causes(plan_with({}, {.profile = true}), 1s), 5min);
}

TEST(cause_pass, a_search_without_time_states_the_reason_and_the_remedy) {
    auto plan = plan_with(1s);
    for (const auto* const name : {"base", "next"}) {
        plan.contenders.emplace_back();
        plan.contenders.back().name = name;
        plan.contenders.back().path = LOOPBENCH_PLANTED_BASE;
    }
    plan.baseline = "base";
    reports::report report;
    report.baseline = "base";
    report.results = {tests::measured_as("writes", "base", "time", 1),
                      tests::measured_as("writes", "next", "time", 4)};
    report.results[1].judged = reports::verdict::slower;
    report.results[1].to_baseline = reports::ratio{"base", 0.25, 0.2, 0.3};
    const auto now = time_for_pass::clock::now();
    const auto found = find_causes(report, plan, {now, -1});
    ASSERT_TRUE(found && found->size() == 1);
    EXPECT_TRUE(found->front().compared.empty());
    ASSERT_EQ(found->front().missing.size(), 1U);
    EXPECT_SAYS(found->front().missing[0], "--budget");
    report.results[1].judged = reports::verdict::equivalent;
    EXPECT_FALSE(find_causes(report, plan, {now, -1}));
}

}  // namespace

}  // namespace loopbench::bench
