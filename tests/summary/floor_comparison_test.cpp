// Tests the multiples of the best floor, and the warnings about values below a floor.
#include "bench/harness/summary/floor_comparison.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>

#include "bench/catalog/floor_exceptions.hpp"
#include "bench/catalog/workload_table.hpp"
#include "bench/harness/summary/summary.hpp"
#include "reports/model/metrics.hpp"
#include "reports/render/columns.hpp"
#include "tests/support/mock_executor.hpp"
#include "tests/support/says.hpp"

namespace loopbench::tests {

namespace {

using reports::result;

/// The values of each metric in the n-th trial of a contender; n starts at 1.
using measured = std::map<std::string, std::function<double(double n)>>;

reports::report report_with_floors(const std::string& workload,
                                   const std::map<std::string, measured>& contenders,
                                   const std::vector<std::string>& floors, std::uint64_t blocks = 7,
                                   const std::map<std::string, std::string>& drivers = {},
                                   const std::string& disturbed = {}) {
    auto plan = small_plan(blocks);
    plan.workloads = {workload};
    plan.contenders.clear();
    for (const auto& [name, measures] : contenders) {
        plan.contenders.push_back({name, "", {workload}, ""});
        nlohmann::ordered_json context{{"library", "Linux"}};
        if (std::ranges::find(floors, name) != floors.end()) context["role"] = "floor";
        if (const auto driver = drivers.find(name); driver != drivers.end())
            context["driver"] = driver->second;
        plan.described.push_back(reports::describe(name, std::move(context)));
    }
    std::map<std::string, double> trials;
    return report_of(plan, [&](const bench::trial_request& request) {
        bench::trial_outcome outcome;
        outcome.disturbed = disturbed;
        const auto n = ++trials[request.who.name];
        for (const auto& [metric, value] : contenders.at(request.who.name))
            outcome.metrics[metric] = value(n);
        return outcome;
    });
}

const result& found(const reports::report& report, std::string_view contender, std::string_view metric) {
    const auto at = std::ranges::find_if(report.results, [&](const auto& item) {
        return item.contender == contender && item.metric == metric;
    });
    if (at == report.results.end()) throw std::runtime_error{"no such result"};
    return *at;
}

std::vector<reports::warning> floor_warnings(const reports::report& report) {
    auto all = report.warnings;
    std::erase_if(all, [](const auto& item) { return item.code != "faster_than_floor"; });
    return all;
}

std::function<double(double)> always(double value) {
    return [value](double) { return value; };
}

std::function<double(double)> growing(double value) {
    return [value](double n) { return value * n; };
}

TEST(floor_comparison, a_multiple_of_the_floor_is_calculated_within_blocks) {
    const auto report = report_with_floors(
        "echo/rtt/tcp/conns:1/bytes:64",
        {{"asio-epoll", {{"time", growing(1300)}}}, {"floor-blocking", {{"time", growing(1000)}}}},
        {"floor-blocking"});
    const auto& times = found(report, "asio-epoll", "time").times_floor;
    ASSERT_TRUE(times);
    EXPECT_EQ(times->floor, "floor-blocking");
    EXPECT_DOUBLE_EQ(times->median, 1.3);
    EXPECT_DOUBLE_EQ(times->low.value(), 1.3);
    EXPECT_DOUBLE_EQ(times->high.value(), 1.3);
    EXPECT_TRUE(floor_warnings(report).empty());
}

TEST(floor_comparison, each_metric_has_its_own_best_floor_with_a_multiple_of_one) {
    const auto report =
        report_with_floors("echo/rtt/tcp/conns:1/bytes:64",
                           {{"asio-epoll", {{"time", always(8)}, {"latency_p50", always(8)}}},
                            {"floor-epoll", {{"time", always(5)}, {"latency_p50", always(2)}}},
                            {"floor-uring", {{"time", always(4)}, {"latency_p50", always(4)}}}},
                           {"floor-epoll", "floor-uring"});
    EXPECT_EQ(found(report, "asio-epoll", "time").times_floor->floor, "floor-uring");
    EXPECT_DOUBLE_EQ(found(report, "asio-epoll", "time").times_floor->median, 2);
    EXPECT_EQ(found(report, "asio-epoll", "latency_p50").times_floor->floor, "floor-epoll");
    EXPECT_DOUBLE_EQ(found(report, "asio-epoll", "latency_p50").times_floor->median, 4);
    EXPECT_DOUBLE_EQ(found(report, "floor-epoll", "time").times_floor->median, 1.25);
    EXPECT_DOUBLE_EQ(found(report, "floor-uring", "time").times_floor->median, 1);
}

TEST(floor_comparison, the_role_of_a_contender_and_not_its_name_makes_it_a_floor) {
    const std::map<std::string, measured> contenders{{"asio-epoll", {{"time", always(8)}}},
                                                     {"floor-mine", {{"time", always(2)}}},
                                                     {"bare", {{"time", always(4)}}}};
    EXPECT_EQ(
        found(report_with_floors("echo", contenders, {"bare"}), "asio-epoll", "time").times_floor->floor,
        "bare");
    EXPECT_FALSE(found(report_with_floors("echo", contenders, {}), "asio-epoll", "time").times_floor);
}

TEST(floor_comparison, only_times_latencies_and_lateness_have_a_multiple_of_the_floor) {
    for (const auto& metric : reports::known_metrics()) {
        const auto report = report_with_floors(
            "echo",
            {{"asio-epoll", {{"time", always(8)}, {std::string{metric.name}, always(8)}}},
             {"floor-uring", {{"time", always(4)}, {std::string{metric.name}, always(4)}}}},
            {"floor-uring"});
        const bool limited =
            metric.name == "time" || metric.name.starts_with("late_") || metric.name.starts_with("latency_");
        EXPECT_EQ(found(report, "asio-epoll", metric.name).times_floor.has_value(), limited) << metric.name;
    }
}

TEST(floor_comparison, values_that_are_not_above_zero_have_no_multiple_of_the_floor) {
    const auto report = report_with_floors("timer/periodic",
                                           {{"asio-epoll", {{"time", always(1)}, {"late_p50", always(-5)}}},
                                            {"floor-sleep", {{"time", always(1)}, {"late_p50", always(4)}}}},
                                           {"floor-sleep"});
    EXPECT_FALSE(found(report, "asio-epoll", "late_p50").times_floor);
    EXPECT_TRUE(found(report, "asio-epoll", "time").times_floor);
}

TEST(floor_comparison, one_warning_names_the_known_reason_for_all_values_below_the_floor) {
    const auto report =
        report_with_floors("timer/periodic",
                           {{"asio-epoll", {{"time", always(1)}, {"late_p50", growing(44)}}},
                            {"loop-precise", {{"time", always(1)}, {"late_p50", growing(2)}}},
                            {"loop-round-robin", {{"time", always(1)}, {"late_p50", growing(1)}}},
                            {"floor-epoll", {{"time", always(1)}, {"late_p50", growing(40)}}}},
                           {"floor-epoll"});
    const auto warnings = floor_warnings(report);
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_TRUE(warnings[0].message.starts_with(
        "median lateness is below the floor: loop-precise has 0.05× that of floor-epoll on timer/periodic; "
        "loop-round-robin has 0.025× that of floor-epoll on timer/periodic; "))
        << warnings[0].message;
    EXPECT_TRUE(warnings[0].message.ends_with(bench::why_faster_than_floor("timer/periodic", "late_p50")));
    EXPECT_FALSE(warnings[0].remedy.empty());
}

TEST(floor_comparison, an_unexplained_value_slightly_below_the_floor_causes_a_warning) {
    const auto report = report_with_floors(
        "yield", {{"asio-epoll", {{"time", growing(95)}}}, {"floor-uring", {{"time", growing(100)}}}},
        {"floor-uring"});
    EXPECT_EQ(found(report, "asio-epoll", "time").status, reports::result_status::ok);
    const auto warnings = floor_warnings(report);
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_SAYS(warnings[0].message, "asio-epoll has 0.95× that of floor-uring on yield");
    EXPECT_SAYS(warnings[0].message, "no reason");
}

TEST(floor_comparison, an_unexplained_value_far_below_the_floor_makes_the_result_fail) {
    const auto report = report_with_floors("yield",
                                           {{"asio-epoll", {{"time", growing(5)}}},
                                            {"loop-epoll", {{"time", growing(3)}}},
                                            {"floor-uring", {{"time", growing(4)}}}},
                                           {"floor-uring"});
    const auto& refused = found(report, "loop-epoll", "time");
    EXPECT_EQ(refused.status, reports::result_status::failed);
    EXPECT_SAYS(refused.reason.value_or(""), "impossible numbers");
    EXPECT_FALSE(refused.median);
    EXPECT_TRUE(found(report, "asio-epoll", "time").median);
}

TEST(floor_comparison, if_the_baseline_is_far_below_the_floor_no_contender_has_a_ratio) {
    const auto report = report_with_floors("yield",
                                           {{"asio-epoll", {{"time", growing(3)}}},
                                            {"loop-epoll", {{"time", growing(5)}}},
                                            {"floor-uring", {{"time", growing(4)}}}},
                                           {"floor-uring"});
    EXPECT_EQ(found(report, "asio-epoll", "time").status, reports::result_status::failed);
    EXPECT_FALSE(found(report, "loop-epoll", "time").to_baseline);
}

// In an older version, a run without floor-uring compared loop-uring with the floor of another driver.
// Therefore loop-uring failed on every workload on which io_uring saves system calls.
TEST(floor_comparison, a_contender_on_io_uring_is_not_limited_by_the_floor_of_another_driver) {
    const std::map<std::string, measured> contenders{{"asio-epoll", {{"time", always(10)}}},
                                                     {"floor-epoll", {{"time", always(8)}}},
                                                     {"loop-epoll", {{"time", always(5)}}},
                                                     {"loop-uring", {{"time", always(5)}}}};
    const auto report = report_with_floors(
        "echo", contenders, {"floor-epoll"}, 20,
        {{"floor-epoll", "epoll, timerfd and eventfd"}, {"loop-epoll", "epoll"}, {"loop-uring", "io_uring"}});
    EXPECT_EQ(found(report, "loop-uring", "time").median, 5);
    EXPECT_EQ(found(report, "loop-epoll", "time").status, reports::result_status::failed);
}

TEST(floor_comparison, a_contender_that_states_its_driver_is_compared_with_the_floor_of_the_same_driver) {
    const std::map<std::string, measured> contenders{{"loop-epoll", {{"time", growing(8)}}},
                                                     {"loop-poll", {{"time", growing(8)}}},
                                                     {"floor-epoll", {{"time", growing(10)}}},
                                                     {"floor-blocking", {{"time", growing(7)}}}};
    const auto report =
        report_with_floors("echo", contenders, {"floor-epoll", "floor-blocking"}, 7,
                           {{"loop-epoll", "epoll"}, {"floor-epoll", "epoll, timerfd and eventfd"}});
    EXPECT_EQ(found(report, "loop-epoll", "time").status, reports::result_status::failed);
    EXPECT_EQ(found(report, "loop-poll", "time").status, reports::result_status::ok);
}

TEST(floor_comparison, a_floor_more_than_five_times_as_fast_as_another_floor_fails) {
    const auto with_floor = [](double ns) {
        return report_with_floors("echo/rtt/unix/conns:1000/bytes:64",
                                  {{"asio-epoll", {{"time", always(1800)}}},
                                   {"floor-epoll", {{"time", always(929)}}},
                                   {"floor-uring", {{"time", always(ns)}}}},
                                  {"floor-epoll", "floor-uring"});
    };
    EXPECT_SAYS(found(with_floor(73), "floor-uring", "time").reason.value_or(""), "less than a fifth");
    EXPECT_SAYS(found(with_floor(185), "floor-uring", "time").reason.value_or(""), "less than a fifth");
    EXPECT_EQ(found(with_floor(200), "floor-uring", "time").status, reports::result_status::ok);
}

TEST(floor_comparison, a_single_disturbed_trial_does_not_make_a_floor_fail) {
    const auto status_of = [](std::uint64_t blocks, const std::string& disturbed) {
        const auto report = report_with_floors("yield",
                                               {{"asio-epoll", {{"time", always(1800)}}},
                                                {"floor-epoll", {{"time", always(929)}}},
                                                {"floor-uring", {{"time", always(73)}}}},
                                               {"floor-epoll", "floor-uring"}, blocks, {}, disturbed);
        return found(report, "floor-uring", "time").status;
    };
    EXPECT_EQ(status_of(1, "another program ran"), reports::result_status::ok);
    EXPECT_EQ(status_of(1, ""), reports::result_status::failed);
    EXPECT_EQ(status_of(7, "another program ran"), reports::result_status::failed);
}

TEST(floor_comparison, small_or_random_differences_below_the_floor_cause_no_warning) {
    const auto nearly = report_with_floors(
        "yield", {{"asio-epoll", {{"time", always(99.5)}}}, {"floor-uring", {{"time", always(100)}}}},
        {"floor-uring"});
    EXPECT_TRUE(floor_warnings(nearly).empty());
    const auto sometimes =
        report_with_floors("yield",
                           {{"asio-epoll", {{"time", [](double n) { return n == 4 || n == 2 ? 104 : 50; }}}},
                            {"floor-uring", {{"time", always(100)}}}},
                           {"floor-uring"});
    EXPECT_TRUE(floor_warnings(sometimes).empty());
    const auto too_few = report_with_floors(
        "yield", {{"asio-epoll", {{"time", always(50)}}}, {"floor-uring", {{"time", always(100)}}}},
        {"floor-uring"}, 5);
    EXPECT_TRUE(floor_warnings(too_few).empty());
}

TEST(floor_comparison, reasons_for_low_values_exist_only_for_known_workloads_and_judged_metrics) {
    for (const auto& each : bench::floor_exceptions()) {
        EXPECT_NE(bench::find_workload(each.front), nullptr) << each.front;
        EXPECT_TRUE(each.metric == "time" || each.metric == "late_p50") << each.front << " " << each.metric;
    }
    EXPECT_FALSE(bench::why_faster_than_floor("timer/ladder/us:10", "time").empty());
    EXPECT_TRUE(bench::why_faster_than_floor("timer/ladders", "time").empty());
    EXPECT_TRUE(bench::why_faster_than_floor("yield", "time").empty());
}

TEST(floor_comparison, the_table_has_a_column_for_multiples_of_the_floor_if_a_floor_was_measured) {
    const auto report = report_with_floors("echo",
                                           {{"asio-epoll", {{"time", always(1076)}}},
                                            {"floor-uring", {{"time", always(1000)}}},
                                            {"loop-tick", {{"time", always(123456)}}}},
                                           {"floor-uring"});
    const auto families = reports::families_of(report);
    const auto columns = reports::columns_for(families.at(0).lines);
    const auto shown = std::ranges::find(columns, "× floor", &reports::column::title);
    ASSERT_NE(shown, columns.end());
    std::vector<std::string> cells;
    for (const auto& line : families[0].lines) cells.push_back(shown->cell(line));
    EXPECT_EQ(cells, (std::vector<std::string>{"1.08", "floor", "123"}));

    const auto without = report_with_floors("echo", {{"asio-epoll", {{"time", always(1)}}}}, {});
    const auto lines = reports::families_of(without);
    for (const auto& each : reports::columns_for(lines.at(0).lines)) EXPECT_NE(each.title, "× floor");
    EXPECT_EQ(reports::legend_for(without).find("floor"), std::string::npos);
    EXPECT_NE(reports::legend_for(report).find("floor"), std::string::npos);
}

}  // namespace

}  // namespace loopbench::tests
