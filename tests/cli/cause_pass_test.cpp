// Tests the time limits of the search for the causes of slowdowns.
#include "bench/harness/cli/session/cause_pass.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <string>
#include <vector>

#include "bench/harness/trial/contender_list.hpp"
#include "reports/base/posix_io.hpp"
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

/// Returns the plan of a comparison of `base` with `next`.
run_plan plan_of_two_builds(std::optional<std::chrono::nanoseconds> budget) {
    auto plan = plan_with(budget);
    for (const auto* const name : {"base", "next"}) {
        plan.contenders.emplace_back();
        plan.contenders.back().name = name;
        plan.contenders.back().path = LOOPBENCH_PLANTED_BASE;
    }
    plan.baseline = "base";
    return plan;
}

void add_slower(reports::report& to, const char* workload, double speed, const char* metric = "time") {
    to.baseline = "base";
    to.results.push_back(tests::measured_as(workload, "base", metric, 1));
    to.results.push_back(tests::measured_as(workload, "next", metric, 1 / speed));
    to.results.back().judged = reports::verdict::slower;
    to.results.back().to_baseline = reports::ratio{"base", speed, speed - 0.05, speed + 0.05};
}

TEST(cause_pass, a_search_without_time_states_the_reason_and_the_remedy) {
    const auto plan = plan_of_two_builds(1s);
    reports::report report;
    add_slower(report, "writes", 0.25);
    const auto now = time_for_pass::clock::now();
    const auto found = find_causes(report, plan, {now, -1});
    ASSERT_TRUE(found && found->size() == 1);
    EXPECT_TRUE(found->front().compared.empty());
    ASSERT_EQ(found->front().missing.size(), 1U);
    EXPECT_SAYS(found->front().missing[0], "--budget");
    report.results[1].judged = reports::verdict::equivalent;
    EXPECT_FALSE(find_causes(report, plan, {now, -1}));
}

TEST(cause_pass, fewer_benchmarks_are_advised_only_if_there_are_several) {
    const auto plan = plan_of_two_builds({});
    reports::report report;
    add_slower(report, "writes", 0.25);
    const auto now = time_for_pass::clock::now();
    EXPECT_FALSE(tests::says(find_causes(report, plan, {now, -1})->at(0).missing.at(0), "--workload"));
    add_slower(report, "allocates", 0.5);
    EXPECT_SAYS(find_causes(report, plan, {now, -1})->at(0).missing.at(0), "--workload");
}

TEST(cause_pass, the_greatest_slowdown_is_first_and_each_benchmark_is_searched_once) {
    reports::report report;
    add_slower(report, "a", 0.5);
    add_slower(report, "b", 0.1);
    add_slower(report, "c", 0.8);
    add_slower(report, "b", 0.3, "cpu");
    const auto found = find_causes(report, plan_of_two_builds({}), {time_for_pass::clock::now(), -1});
    ASSERT_TRUE(found);
    std::vector<std::string> names;
    for (const auto& each : *found) names.push_back(each.workload);
    EXPECT_EQ(names, (std::vector<std::string>{"b", "a", "c"}));
}

TEST(cause_pass, a_benchmark_gets_only_its_share_of_the_time) {
    const auto now = time_for_pass::clock::now();
    EXPECT_EQ(end_of_share({now + 90s, -1}, 3, now), now + 30s);
    EXPECT_EQ(end_of_share({now + 60s, -1}, 300, now), now + 10s);
    EXPECT_EQ(end_of_share({now + 5s, -1}, 3, now), now + 5s);
    EXPECT_EQ(end_of_share({now + 60s, -1}, 1, now), now + 60s);
}

TEST(cause_pass, the_search_ends_at_an_interrupt) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    const reports::unique_fd reader{ends[0]}, writer{ends[1]};
    ASSERT_EQ(::write(writer.get(), "x", 1), 1);
    reports::report report;
    add_slower(report, "writes", 0.25);
    const auto found =
        find_causes(report, plan_of_two_builds({}), {time_for_pass::clock::now() + 1min, reader.get()});
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->empty());
}

}  // namespace

}  // namespace loopbench::bench
