// Tests `loopbench explain` and the counting pass of `loopbench run` from the command line.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/command_support.hpp"

namespace loopbench::tests {
namespace {

TEST(explain_command, the_explanation_of_a_workload_states_the_work_the_timed_part_and_the_primary_metrics) {
    const loopbench_command loopbench;
    const auto result = loopbench({"explain", "timer/churn/timers:1000"});
    EXPECT_EQ(result.code, 0);
    EXPECT_TRUE(result.output.starts_with("timer/churn (workload)\n")) << result.output;
    for (const char* part : {"What it does: ", "Timed part: ", "Dominated by: ", "Primary metrics: "})
        EXPECT_SAYS(result.output, part);
}

TEST(explain_command, the_explanation_of_a_workload_states_the_pairing_for_each_parameter_value) {
    const loopbench_command loopbench;
    const auto text = loopbench({"explain", "timer/churn"}).output;
    EXPECT_SAYS(text, "with timers:1000: interleaved, ");
    EXPECT_SAYS(text, "; with timers:100000: sequential, ");
    EXPECT_SAYS(loopbench({"explain", "timer/ladder"}).output, "How it is measured: sequential, ")
        << "all parameters alike";
}

TEST(explain_command, metrics_and_contenders_are_explained) {
    const loopbench_command loopbench;
    for (const char* part : {"late_p99 (metric, ns; smaller is better)", "timer's deadline"})
        EXPECT_SAYS(loopbench({"explain", "late_p99"}).output, part);
    EXPECT_SAYS(loopbench({"explain", "loop-tick"}).output, "loop-tick (contender)\n");
}

TEST(explain_command, explaining_a_workload_family_explains_every_workload_of_the_family) {
    const loopbench_command loopbench;
    const auto text = loopbench({"explain", "gather"}).output;
    for (const char* name : {"gather/ready", "gather/yield", "gather/sleep", "gather/echo", "gather/tree"})
        EXPECT_SAYS(text, std::string{name} + " (workload)");
}

TEST(explain_command, the_explanation_of_a_parameter_lists_the_workloads_that_have_the_parameter) {
    const loopbench_command loopbench;
    const auto all = loopbench({"explain", "conns"}).output,
               one = loopbench({"explain", "conns:1000"}).output;
    for (const char* part : {"conns (parameter)", "echo/rtt/tcp/conns:100/bytes:64"}) EXPECT_SAYS(all, part);
    EXPECT_SAYS(one, "echo/rtt/tcp/conns:1000/bytes:64");
    EXPECT_FALSE(says(one, "conns:100/")) << one;
    EXPECT_SAYS(loopbench({"explain", "conns:7"}).output, "No workload") << "no workload is invented";
    EXPECT_EQ(loopbench({"explain", "qqqq:7"}).code, 2);
}

TEST(explain_command, the_nearest_names_are_suggested_for_an_unknown_name) {
    const loopbench_command loopbench;
    const auto result = loopbench({"explain", "timer/chrun"});
    EXPECT_EQ(result.code, 2);
    EXPECT_SAYS(result.error_tail, "timer/churn");
}

TEST(counting_run, the_report_contains_the_counts_and_names_each_missing_count) {
    loopbench_command loopbench;
    loopbench.add_contender("asio-epoll", R"(row "\"real_time\": 5, \"time_unit\": \"ns\", )"
                                          R"(\"operations\": ${LOOPBENCH_OPERATIONS:-10}")");
    const auto result =
        loopbench({"run", "--workload", "yield", "--blocks", "1", "--counts", "-o", loopbench.out()});
    EXPECT_EQ(result.code, 0) << result.error_tail;
    const auto report = loopbench.report();
    bool counted = false;
    for (const auto& item : report["results"])
        if (item["metric"] == "context_switches")
            counted = item["deterministic"] == true && !item["median"].is_null();
    EXPECT_TRUE(counted) << report.dump(1);
    // The malloc counter is missing, because the test copies only the command into its folder.
    bool warned = false;
    for (const auto& each : report["warnings"])
        warned = warned || (each["code"] == "counts_missing" &&
                            says(each["message"].get<std::string>(), "malloc_counter"));
    EXPECT_TRUE(warned) << report["warnings"].dump(1);
    const auto counts = nlohmann::json::parse(content_of(loopbench.path("out/counts.json")));
    EXPECT_EQ(counts["schema"], reports::counts_format.schema);
    EXPECT_EQ(counts["cells"][0]["workload"], "yield");
}

TEST(counting_run, a_failure_while_counting_or_checking_after_the_trials_fails_the_result) {
    loopbench_command loopbench;
    loopbench.add_contender("asio-epoll", R"sh([ -z "$LOOPBENCH_OPERATIONS" ] || {
  row '"error_occurred": true, "error_message": "echoed 3 of 4 bytes"'; exit; }
row '"real_time": 5, "items_per_second": 7, "operations": 10')sh");
    for (const auto* pass : {"--counts", "--checks"}) {
        const auto ran =
            loopbench({"run", "--workload", "yield", "--blocks", "1", pass, "-o", loopbench.out()});
        EXPECT_EQ(ran.code, 1) << pass << ran.error_tail;
        EXPECT_EQ(loopbench.report()["results"][0]["reason"], "after its trials: echoed 3 of 4 bytes");
        EXPECT_EQ(loopbench.report()["results"][0]["status"], "failed");
        const auto again = loopbench({"report", loopbench.out() + "/journal.jsonl", "--format", "json"});
        EXPECT_EQ(nlohmann::json::parse(again.output), loopbench.report());
    }
}

}  // namespace
}  // namespace loopbench::tests
