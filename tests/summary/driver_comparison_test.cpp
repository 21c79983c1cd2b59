// Tests the comparison of the best contender on io_uring with the best contender on epoll.
#include "bench/harness/summary/driver_comparison.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/support/mock_executor.hpp"

namespace loopbench::tests {

namespace {

constexpr auto busiest = "echo/rtt/tcp/conns:1000/bytes:64";

struct on_driver {
    std::string driver, role;
    std::map<std::string, double> times;
};

/// Returns a report in which the machine's speed differs between blocks, and the baseline's times have
/// additional noise.
reports::report report_of_drivers(const std::map<std::string, on_driver>& contenders) {
    auto plan = small_plan(12);
    plan.workloads = {busiest};
    plan.contenders = {{plan.baseline, "", {busiest}, ""}};
    plan.described = {reports::describe(plan.baseline, {{"driver", "select"}})};
    for (const auto& [name, who] : contenders) {
        plan.contenders.push_back({name, "", {busiest}, ""});
        plan.described.push_back(reports::describe(name, {{"driver", who.driver}, {"role", who.role}}));
    }
    std::map<std::string, int> trials;
    return report_of(plan, [&](const bench::trial_request& request) {
        bench::trial_outcome outcome;
        const auto block = trials[request.who.name]++;
        const double machine = 1000 + 100 * (block % 3);
        if (request.who.name == plan.baseline) {
            outcome.metrics["time"] = machine * (block % 2 == 0 ? 1.0 : 1.5);
        } else {
            for (const auto& [metric, times] : contenders.at(request.who.name).times)
                outcome.metrics[metric] = machine * times;
        }
        return outcome;
    });
}

const reports::result& in(const reports::report& report, std::string_view who, std::string_view metric) {
    return *reports::find_result(report, busiest, who, metric);
}

TEST(driver_comparison, direct_ratios_decide_a_comparison_that_a_noisy_baseline_leaves_undecided) {
    const auto report = report_of_drivers({{"ring", {"io_uring", "", {{"time", 0.90}, {"cpu", 0.80}}}},
                                           {"slow ring", {"io_uring", "", {{"time", 0.99}, {"cpu", 0.5}}}},
                                           {"poll", {"epoll", "", {{"time", 0.99}, {"cpu", 0.80}}}},
                                           {"slow poll", {"epoll", "", {{"time", 1.10}, {"cpu", 0.5}}}},
                                           {"bare", {"epoll", "floor", {{"time", 0.50}, {"cpu", 0.5}}}}});
    const auto& time = in(report, "ring", "time");
    ASSERT_TRUE(time.to_epoll);
    EXPECT_EQ(time.to_epoll->to, "poll");
    EXPECT_NEAR(time.to_epoll->median, 1.1, 1e-9);
    EXPECT_EQ(time.to_epoll->judged, reports::verdict::faster);
    EXPECT_LE(*time.to_baseline->low, *in(report, "poll", "time").to_baseline->high)
        << "otherwise the ratios to the baseline would suffice";
    ASSERT_TRUE(in(report, "ring", "cpu").to_epoll);
    EXPECT_EQ(in(report, "ring", "cpu").to_epoll->judged, reports::verdict::equivalent)
        << "the CPU times of the same two contenders are compared";
    for (const auto* other : {"slow ring", "poll", "slow poll", "bare"})
        EXPECT_FALSE(in(report, other, "time").to_epoll) << other;
}

TEST(driver_comparison, a_report_without_a_contender_on_each_driver_has_no_comparison) {
    const auto report = report_of_drivers(
        {{"ring", {"io_uring", "", {{"time", 0.9}}}}, {"bare", {"epoll", "floor", {{"time", 0.5}}}}});
    EXPECT_FALSE(in(report, "ring", "time").to_epoll);
}

}  // namespace

}  // namespace loopbench::tests
