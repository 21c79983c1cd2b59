// Tests the measurement overhead, and the check that twice the work takes twice the time.
#include "bench/harness/counting/overhead.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "bench/harness/summary/passes.hpp"
#include "tests/support/command_support.hpp"
#include "tests/support/measured.hpp"
#include "tests/support/mock_executor.hpp"

namespace loopbench::tests {

namespace {

using bench::trial_outcome;
using bench::trial_request;

const bench::contender contender{"asio-epoll", "", {"yield"}, ""};

reports::report report_with(std::initializer_list<const char*> metrics, const char* workload = "yield") {
    reports::report report;
    for (const auto* metric : metrics)
        report.results.push_back(measured_as(workload, contender.name.c_str(), metric, 100));
    return report;
}

trial_outcome did(const trial_request& request, double total_ns) {
    const auto operations = static_cast<double>(request.operations.value());
    auto outcome = took_ns(total_ns / operations);
    outcome.operations = operations;
    return outcome;
}

bench::counted_result overhead_in(const std::function<trial_outcome(const trial_request&)>& answer,
                                  std::initializer_list<const char*> metrics = {"time", "throughput",
                                                                                "latency_p50"}) {
    mock_executor executor{answer};
    return bench::overhead_of(contender, "yield", report_with(metrics), {}, executor);
}

TEST(overhead, the_doubling_ratio_is_two_if_the_time_is_proportional_to_the_work) {
    const auto found = overhead_in([](const trial_request& request) {
        const auto operations = static_cast<double>(request.operations.value());
        return did(request, operations * (request.recording ? 102 : 100));
    });
    EXPECT_DOUBLE_EQ(found.metrics.at("doubling"), 2);
    EXPECT_DOUBLE_EQ(found.metrics.at("recording"), 1.02);
    EXPECT_TRUE(found.missing.empty());
}

TEST(overhead, the_doubling_ratio_is_one_if_the_time_is_constant) {
    const auto found = overhead_in([](const trial_request& request) { return did(request, 1e6); });
    EXPECT_DOUBLE_EQ(found.metrics.at("doubling"), 1);
}

bench::counted_result overhead_when_one_is_slow_of(std::size_t pairs) {
    return overhead_in([pairs, twices = std::size_t{0}](const trial_request& request) mutable {
        const auto operations = static_cast<double>(request.operations.value());
        const bool slow = operations > 3e6 && ++twices % pairs == 0;
        return did(request, operations * (slow ? 150 : 100));
    });
}

TEST(overhead, measuring_stops_when_the_doubling_ratio_is_clear_or_after_the_maximum_number_of_triples) {
    EXPECT_EQ(overhead_when_one_is_slow_of(1000).samples.at("doubling").size(), bench::fewest_triples);
    EXPECT_EQ(overhead_when_one_is_slow_of(1).samples.at("doubling").size(), bench::fewest_triples);
    const auto noisy = overhead_when_one_is_slow_of(4);
    EXPECT_GT(noisy.samples.at("doubling").size(), bench::fewest_triples);
    EXPECT_LT(noisy.samples.at("doubling").size(), bench::most_triples);
    EXPECT_DOUBLE_EQ(noisy.metrics.at("doubling"), 2);
    const auto hopeless = overhead_when_one_is_slow_of(2);
    EXPECT_EQ(hopeless.samples.at("doubling").size(), bench::most_triples);
}

TEST(overhead, a_doubling_ratio_that_stays_unclear_causes_a_warning_with_its_interval) {
    using expected = std::pair<std::size_t, std::vector<std::string>>;
    for (const auto& [pairs, warnings] : {expected{2, {"yield of asio-epoll (2.50 [2.00, 3.00])"}},
                                          expected{1, {"yield of asio-epoll (3.00)"}}, expected{4, {}}}) {
        auto report = report_with({"time"});
        const auto cell = overhead_when_one_is_slow_of(pairs);
        bench::add_counts(report, std::span(&cell, 1));
        ASSERT_EQ(report.warnings.size(), warnings.size()) << pairs;
        for (std::size_t i = 0; i < warnings.size(); ++i)
            EXPECT_SAYS(report.warnings[i].message, warnings[i]);
        const auto doubling = std::ranges::find(report.results, "doubling", &reports::result::metric);
        ASSERT_NE(doubling, report.results.end());
        EXPECT_EQ(doubling->samples.size(), cell.samples.at("doubling").size());
        EXPECT_LE(doubling->low, doubling->median);
        EXPECT_GE(doubling->high, doubling->median);
    }
}

TEST(overhead, the_measurement_overhead_is_missing_if_a_contender_reports_zero_operations) {
    const auto found = overhead_in([](const trial_request&) {
        auto outcome = took_ns(100);
        outcome.operations = 0;
        return outcome;
    });
    EXPECT_TRUE(found.metrics.empty());
    ASSERT_EQ(found.missing.size(), 1U);
    EXPECT_SAYS(found.missing[0], "`operations`");
}

TEST(overhead, only_the_first_triples_contain_a_run_without_recording) {
    std::size_t unrecorded = 0, twices = 0;
    const auto found = overhead_in([&](const trial_request& request) {
        const auto operations = static_cast<double>(request.operations.value());
        if (!request.recording) ++unrecorded;
        return did(request, operations * (operations > 3e6 && ++twices % 2 == 0 ? 150 : 100));
    });
    EXPECT_EQ(unrecorded, bench::fewest_triples);
    EXPECT_EQ(found.samples.at("recording").size(), bench::fewest_triples);
    EXPECT_EQ(found.samples.at("doubling").size(), bench::most_triples);
}

TEST(overhead, workloads_that_open_connections_do_at_most_10000_operations) {
    std::vector<std::uint64_t> operations;
    mock_executor executor{[&](const trial_request& request) {
        operations.push_back(request.operations.value());
        return did(request, 1e6);
    }};
    bench::overhead_of(contender, "accept/churn", report_with({"time", "throughput"}, "accept/churn"), {},
                       executor);
    ASSERT_FALSE(operations.empty());
    EXPECT_LE(*std::ranges::max_element(operations), 10'000U);
}

TEST(overhead, a_contender_can_exceed_the_requested_number_of_operations_by_one_batch) {
    bool whole = false;
    const auto found = overhead_in([&](const trial_request& request) {
        auto outcome = took_ns(100);
        whole = !whole;
        outcome.operations = static_cast<double>(request.operations.value()) + (whole ? 70'000 : 0);
        return outcome;
    });
    EXPECT_DOUBLE_EQ(found.metrics.at("doubling"), 2);
}

TEST(overhead, the_overhead_is_missing_if_a_contender_ignores_the_requested_number_of_operations) {
    const auto deaf = overhead_in([](const trial_request&) {
        auto outcome = took_ns(100);
        outcome.operations = 7;
        return outcome;
    });
    EXPECT_TRUE(deaf.metrics.empty());
    ASSERT_EQ(deaf.missing.size(), 1U);
    EXPECT_SAYS(deaf.missing[0], "did 7 operations, and 7");
    const auto silent = overhead_in([](const trial_request&) { return took_ns(100); });
    EXPECT_TRUE(silent.metrics.empty());
    ASSERT_EQ(silent.missing.size(), 1U);
    EXPECT_SAYS(silent.missing[0], "`operations`");
    const auto broken =
        overhead_in([](const trial_request&) { return ended(reports::result_status::failed, "why"); });
    EXPECT_EQ(broken.missing, std::vector<std::string>{"why"});
    EXPECT_TRUE(broken.failed);
    EXPECT_FALSE(silent.failed);
}

TEST(overhead, the_recording_overhead_is_missing_if_recording_cannot_be_disabled) {
    const auto found = overhead_in([](const trial_request& request) {
        auto outcome = did(request, 100.0 * static_cast<double>(request.operations.value()));
        outcome.metrics["latency_p50"] = 90;
        return outcome;
    });
    EXPECT_DOUBLE_EQ(found.metrics.at("doubling"), 2);
    EXPECT_FALSE(found.metrics.contains("recording"));
    ASSERT_EQ(found.missing.size(), 1U);
    EXPECT_SAYS(found.missing[0], "LOOPBENCH_RECORD=off");
}

TEST(overhead, only_the_checks_that_apply_to_the_metrics_of_a_result_are_run) {
    const auto right = [](const trial_request& request) { return did(request, 5e7); };
    EXPECT_FALSE(overhead_in(right, {"time", "throughput"}).metrics.contains("recording"));
    EXPECT_FALSE(overhead_in(right, {"time", "latency_p50"}).metrics.contains("doubling"));
    const auto nothing = overhead_in(
        [](const trial_request&) -> trial_outcome { throw std::logic_error{"run"}; }, {"time", "late_p50"});
    EXPECT_TRUE(nothing.metrics.empty() && nothing.missing.empty());
    const auto interrupted = overhead_in([](const trial_request&) { return stopped(); });
    EXPECT_TRUE(interrupted.metrics.empty() && interrupted.missing.empty());
}

TEST(overhead, a_doubling_ratio_out_of_bounds_causes_a_warning_that_names_the_result) {
    for (const auto& [doubling, warns] :
         {std::pair{1.89, true}, {1.9, false}, {2.0, false}, {2.1, false}, {2.11, true}, {1.0, true}}) {
        auto report = report_with({"time"});
        const bench::counted_result cell{"yield", contender.name, {{"doubling", doubling}}, {}, {}};
        bench::add_counts(report, std::span(&cell, 1));
        ASSERT_EQ(report.results.size(), 2U);
        EXPECT_EQ(report.results[1].metric, "doubling");
        EXPECT_EQ(report.warnings.size(), warns ? 1U : 0U) << doubling;
        for (const auto& warning : report.warnings) EXPECT_SAYS(warning.message, "yield of asio-epoll (");
    }
}

TEST(checking_run, a_contender_that_does_no_work_fails_because_twice_the_work_does_not_take_longer) {
    loopbench_command loopbench;
    loopbench.add_contender("asio-epoll", R"sh(
n=${LOOPBENCH_OPERATIONS:-1000000}
row "\"real_time\": $((1000000000 / n)), \"time_unit\": \"ns\", \"items_per_second\": 7, \"operations\": $n"
)sh");
    const auto ran =
        loopbench({"run", "--workload", "yield", "--blocks", "1", "--checks", "-o", loopbench.out()});
    EXPECT_EQ(ran.code, 1) << ran.error_tail;
    const auto refused = time_of(loopbench.report(), "asio-epoll");
    EXPECT_EQ(refused["status"], "failed");
    EXPECT_EQ(refused["median"], nullptr);
    EXPECT_SAYS(refused["reason"].get<std::string>(), "twice the operations took");
    const auto again = loopbench({"report", loopbench.out() + "/journal.jsonl", "--format", "json"});
    EXPECT_EQ(again.output, content_of(loopbench.out() + "/report.json"));
}

}  // namespace

}  // namespace loopbench::tests
