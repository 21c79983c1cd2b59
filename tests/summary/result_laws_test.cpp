// Tests that results whose numbers contradict their counts become failed results.
#include "bench/harness/summary/result_laws.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/experiment/record.hpp"
#include "bench/harness/summary/summary.hpp"
#include "tests/support/mock_executor.hpp"
#include "tests/support/says.hpp"

namespace loopbench::tests {

namespace {

using bench::counted_result;
using reports::result_status;

counted_result counts(std::map<std::string, double> metrics, std::vector<double> doublings = {}) {
    counted_result cell;
    cell.metrics = std::move(metrics);
    if (!doublings.empty()) cell.samples["doubling"] = std::move(doublings);
    return cell;
}

bench::session_record session_with(counted_result counted, const char* workload = "yield") {
    bench::session_record record;
    record.plan = small_plan(7);
    record.plan.workloads = {workload};
    for (auto& who : record.plan.contenders) who.workloads = record.plan.workloads;
    record.outcome = outcome_of(record.plan, [](const auto&) { return took_ns(1000); });
    record.where.cheapest_call_ns = 200;
    counted.workload = record.plan.workloads.front();
    counted.contender = record.plan.contenders.at(1).name;
    record.counted = {counted};
    return record;
}

const reports::result& result_with_counts(const reports::report& report,
                                          const bench::session_record& record) {
    return *reports::find_result(report, record.plan.workloads.front(), record.plan.contenders.at(1).name,
                                 "time");
}

TEST(result_laws, a_result_whose_operation_is_faster_than_its_system_calls_fails) {
    for (const auto& [calls, status] :
         {std::pair{4.9, result_status::ok}, std::pair{5.1, result_status::failed}}) {
        const auto record = session_with(counts({{"syscalls", calls}}));
        const auto report = bench::report_of(record);
        const auto& found = result_with_counts(report, record);
        EXPECT_EQ(found.status, status) << calls;
        if (status == result_status::failed) {
            EXPECT_SAYS(found.reason.value_or(""), "too short for its");
            EXPECT_FALSE(found.median);
        }
    }
}

TEST(result_laws, times_are_not_compared_with_the_system_calls_of_several_threads) {
    const auto record = session_with(counts({{"syscalls", 100}}), "threads/ping/threads:2");
    EXPECT_EQ(result_with_counts(bench::report_of(record), record).status, result_status::ok);
}

TEST(result_laws, times_are_not_compared_with_system_calls_if_the_cost_of_a_call_was_not_measured) {
    auto record = session_with(counts({{"syscalls", 100}}));
    record.where.cheapest_call_ns.reset();
    EXPECT_EQ(result_with_counts(bench::report_of(record), record).status, result_status::ok);
}

TEST(result_laws, a_result_whose_time_does_not_double_with_the_work_fails) {
    const auto status_of = [](const std::vector<double>& doublings) {
        const auto record = session_with(counts({{"doubling", doublings.front()}}, doublings));
        const auto report = bench::report_of(record);
        const auto& found = result_with_counts(report, record);
        if (found.status == result_status::failed) {
            EXPECT_SAYS(found.reason.value_or(""), "twice the operations took");
        }
        return found.status;
    };
    EXPECT_EQ(status_of({1.0, 1.1, 1.2, 1.0, 1.1, 1.2}), result_status::failed);
    EXPECT_EQ(status_of({82, 83, 84, 82, 83, 84}), result_status::failed);
    EXPECT_EQ(status_of({2.0, 2.0, 2.0, 2.0, 2.0, 2.0}), result_status::ok);
    EXPECT_EQ(status_of({1.5, 2.0, 2.0, 2.5, 2.0, 2.0}), result_status::ok)
        << "an undecided doubling is only a warning";
    EXPECT_EQ(status_of({1.0, 1.0, 1.0}), result_status::ok) << "three pairs are undecided";
}

}  // namespace

}  // namespace loopbench::tests
