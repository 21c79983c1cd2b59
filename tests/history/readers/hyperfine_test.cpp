// Tests the reader of hyperfine's exports.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/history/readers/kept.hpp"

namespace loopbench::tests {

namespace {

std::string hyperfine_export(const std::string& results) {
    return fmt::format("{{\n  \"results\": [\n{}\n  ]\n}}\n", results);
}

/// Returns a result as hyperfine 1.12 writes it. `more` are further fields.
std::string hyperfine_result(const std::string& command, const std::string& times,
                             const std::string& more = "", const std::string& exit_codes = "[0, 0, 0]") {
    return fmt::format(R"({{"command": "{}", "mean": 0.42, "stddev": 0.01, "median": 0.41, "user": 0.25,
        "system": 0.125, "min": 0.4, "max": 0.45, "times": {}, "exit_codes": {}{}}})",
                       command, times, exit_codes, more);
}

const std::string three_times = "[0.4, 0.41, 0.45]";

reports::report report_in_export(const std::string& results) {
    return report_in_entry(only_entry_in(hyperfine_export(results), some_day));
}

std::string reason_of(const std::string& result) {
    const auto report = report_in_export(result);
    EXPECT_EQ(report.results.size(), 1U);
    EXPECT_EQ(report.results.at(0).status, reports::result_status::failed);
    return report.results.at(0).reason.value_or("");
}

TEST(hyperfine, each_run_of_a_command_is_a_sample) {
    const auto kept =
        only_entry_in(hyperfine_export(hyperfine_result("gzip -9 <log", three_times)), some_day);
    EXPECT_EQ(kept.source, bench::report_source::hyperfine);
    EXPECT_EQ(kept.date, "2026-03-04T05:06:07Z");
    const auto report = report_in_entry(kept);
    EXPECT_EQ(report.contenders.at(0).name, "hyperfine");
    const auto time = result_in(report, "gzip -9 <log");
    expect_near(time.samples, {4e8, 4.1e8, 4.5e8});
    EXPECT_NEAR(time.median.value_or(0), 4.1e8, 1);
    EXPECT_EQ(time.unit, "ns");
}

TEST(hyperfine, cpu_times_are_values_without_samples) {
    const auto report = report_in_export(hyperfine_result("make", three_times));
    for (const auto& [metric, ns] : {std::pair{"cpu", 3.75e8}, {"cpu_user", 2.5e8}, {"cpu_system", 1.25e8}}) {
        const auto item = result_in(report, "make", metric);
        EXPECT_NEAR(item.median.value_or(0), ns, 1) << metric;
        EXPECT_TRUE(item.samples.empty() && !item.low) << metric;
    }
    EXPECT_FALSE(has_metric(report, "make", "rss_peak"));
}

TEST(hyperfine, the_memory_of_newer_versions_is_read_in_bytes) {
    const auto report = report_in_export(
        hyperfine_result("make", three_times, R"(, "memory_usage_byte": [1048576, 2097152, 1048576])"));
    EXPECT_EQ(result_in(report, "make", "rss_peak").samples, (sample_list{1048576.0, 2097152.0, 1048576.0}));
    EXPECT_EQ(report.workloads.at(0).primary_metrics, (std::vector<std::string>{"time", "cpu", "rss_peak"}));
}

TEST(hyperfine, memory_that_the_system_does_not_tell_is_no_metric) {
    EXPECT_FALSE(has_metric(
        report_in_export(hyperfine_result("make", three_times, R"(, "memory_usage_byte": [0, 0, 0])")),
        "make", "rss_peak"));
}

TEST(hyperfine, a_result_without_single_times_is_a_value_without_samples) {
    for (const auto* none : {"null", "[]"}) {
        const auto time = result_in(report_in_export(hyperfine_result("make", none)), "make");
        EXPECT_NEAR(time.median.value_or(0), 4.1e8, 1) << none;
        EXPECT_TRUE(time.samples.empty() && !time.low && !time.high) << none;
    }
    const auto oldest =
        report_in_export(R"({"command": "make", "mean": 2, "stddev": null, "min": 2, "max": 2})");
    EXPECT_NEAR(result_in(oldest, "make").median.value_or(0), 2e9, 1);
}

TEST(hyperfine, a_command_that_failed_in_any_run_has_no_number) {
    const auto exit_code = reason_of(hyperfine_result("make", three_times, "", "[0, 2, 2]"));
    EXPECT_SAYS(exit_code, "2 of 3");
    EXPECT_SAYS(exit_code, "exit code 2");
    EXPECT_SAYS(reason_of(hyperfine_result("make", three_times, "", "[0, 0, null]")), "signal");
}

TEST(hyperfine, a_time_of_zero_or_below_is_refused_with_hyperfines_own_remedy) {
    for (const auto* times : {"[0.0, 0.001, 0.002]", "[-0.001, 0.001, 0.002]"}) {
        const auto reason = reason_of(hyperfine_result("true", times));
        EXPECT_SAYS(reason, "above 0");
        EXPECT_SAYS(reason, "hyperfine -N");
    }
}

TEST(hyperfine, a_time_that_is_not_a_number_is_refused) {
    for (const auto* times : {"[0.1, null, 0.1]", "[0.1, NaN, 0.1]"})
        EXPECT_SAYS(reason_of(hyperfine_result("true", times)), "not a number");
}

TEST(hyperfine, results_with_equal_commands_are_distinguished_by_their_parameters) {
    const auto report =
        report_in_export(hyperfine_result("bench", "[1, 1, 1]", R"(, "parameters": {"threads": "1"})") + "," +
                         hyperfine_result("bench", "[2, 2, 2]", R"(, "parameters": {"threads": "2"})") + "," +
                         hyperfine_result("other 3", "[3, 3, 3]", R"(, "parameters": {"n": "3"})"));
    EXPECT_NEAR(result_in(report, "bench (threads=2)").median.value_or(0), 2e9, 1);
    EXPECT_TRUE(has_metric(report, "other 3", "time")) << "this command is already unique";
}

TEST(hyperfine, results_with_equal_commands_without_parameters_are_numbered) {
    const auto report = report_in_export(hyperfine_result("bench", "[1, 1, 1]") + "," +
                                         hyperfine_result("bench/#1/2", "[3, 3, 3]") + "," +
                                         hyperfine_result("bench", "[2, 2, 2]"));
    EXPECT_NEAR(result_in(report, "bench/#1/2").median.value_or(0), 3e9, 1) << "this name was in the file";
    EXPECT_NEAR(result_in(report, "bench/##1/2").median.value_or(0), 1e9, 1);
    EXPECT_NEAR(result_in(report, "bench/#2/2").median.value_or(0), 2e9, 1);
}

TEST(hyperfine, a_command_of_several_lines_keeps_its_name) {
    const auto report = report_in_export(hyperfine_result(R"(set -e\nmake \"all\")", three_times));
    EXPECT_TRUE(has_metric(report, "set -e\nmake \"all\"", "time"));
    EXPECT_TRUE(has_metric(report_in_export(hyperfine_result("", three_times)), "(unnamed)", "time"));
}

TEST(hyperfine, an_export_needs_a_date_and_the_message_names_the_option) {
    const auto text = hyperfine_export(hyperfine_result("make", three_times));
    EXPECT_SAYS(refusal_of(text), "--date");
    EXPECT_SAYS(refusal_of(text, {.assume_utc = true}), "--date");
    EXPECT_SAYS(refusal_of(text, {.date = "yesterday"}), "yesterday");
}

TEST(hyperfine, the_same_export_with_another_date_is_the_same_run) {
    const auto text = hyperfine_export(hyperfine_result("make", three_times));
    const auto one = only_entry_in(text, some_day);
    EXPECT_EQ(only_entry_in(text, {.date = "2026-03-05"}).content, one.content);
    const auto other = hyperfine_export(hyperfine_result("make", "[0.4, 0.41, 0.46]"));
    EXPECT_NE(only_entry_in(other, some_day).content, one.content);
}

TEST(hyperfine, an_export_without_results_is_refused) {
    EXPECT_SAYS(refusal_of(R"({"results": [], "command": "?"})", some_day), "no benchmark");
}

TEST(hyperfine, the_error_for_an_invalid_export_names_the_tool_and_the_place) {
    auto cut = hyperfine_export(hyperfine_result("make", three_times));
    cut.resize(cut.size() / 2);
    EXPECT_SAYS(refusal_of(cut, some_day), "hyperfine");
    EXPECT_SAYS(refusal_of(cut, some_day), "line ");
    EXPECT_SAYS(refusal_of(hyperfine_export(R"({"command": "make", "times": ["1"]})"), some_day), "times[0]");
    EXPECT_SAYS(refusal_of(hyperfine_export(R"({"command": "make"})"), some_day), "results[0]");
}

TEST(hyperfine, an_export_with_a_hundred_thousand_runs_is_read) {
    std::string times = "[0.5";
    for (int run = 1; run < 100'000; ++run) times += ", 0.5";
    const auto report = report_in_export(hyperfine_result("true", times + "]"));
    EXPECT_EQ(result_in(report, "true").samples.size(), 100'000U);
}

}  // namespace

}  // namespace loopbench::tests
