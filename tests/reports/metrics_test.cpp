// Tests the list of metrics, whose names other programs read in reports.
#include "reports/model/metrics.hpp"

#include <gtest/gtest.h>

#include <set>

namespace loopbench::tests {

namespace {

TEST(metrics, every_metric_name_that_other_programs_rely_on_is_known) {
    for (
        const auto* name :
        {"time",        "throughput", "latency_p50", "latency_p90",     "latency_p99",      "latency_max",
         "late_p50",    "late_p99",   "late_max",    "early",           "cpu_user",         "cpu_system",
         "cpu",         "spin",       "wakeups",     "waits",           "empty_waits",      "syscalls",
         "allocations", "rss_peak",   "drift",       "allocated_bytes", "context_switches", "bytes_per_item"})
        EXPECT_NE(reports::find_metric(name), nullptr) << name;
}

TEST(metrics, every_metric_has_a_unique_name_and_title_and_a_summary) {
    std::set<std::string_view> names, titles;
    for (const auto& metric : reports::known_metrics()) {
        EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
        EXPECT_TRUE(titles.insert(metric.title).second) << metric.title;
        EXPECT_FALSE(metric.title.empty() || metric.unit.empty() || metric.summary.empty()) << metric.name;
    }
}

TEST(metrics, only_rates_and_fairness_are_better_if_larger) {
    const std::set<std::string_view> larger{"throughput",  "fairness", "thread_fairness",
                                            "least_share", "capacity", "path_rate"};
    for (const auto& metric : reports::known_metrics())
        EXPECT_EQ(metric.better == reports::direction::larger, larger.contains(metric.name)) << metric.name;
}

TEST(metrics, an_unknown_name_is_not_found_in_the_list_of_metrics) {
    EXPECT_EQ(reports::find_metric("iterations"), nullptr);
    EXPECT_EQ(reports::title_of_metric("iterations"), "iterations");
}

}  // namespace

}  // namespace loopbench::tests
