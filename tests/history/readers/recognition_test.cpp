// Tests that the format of a file is recognised, even if the file is cut or invalid.
#include <gtest/gtest.h>

#include "bench/harness/history/readers/readers.hpp"
#include "reports/model/json.hpp"
#include "tests/support/sample_report.hpp"

namespace loopbench::tests {

namespace {

using bench::report_source;

std::optional<report_source> source_of(std::string_view text) {
    const auto* const found = bench::format_of_tool(text);
    return found != nullptr ? std::optional{found->source} : std::nullopt;
}

TEST(recognition, each_tool_is_recognised_by_its_keys) {
    EXPECT_EQ(source_of(R"({"context": {}, "benchmarks": []})"), report_source::google_benchmark);
    EXPECT_EQ(source_of(R"({"benchmarks": [], "machine_info": {}})"), report_source::pytest_benchmark);
    EXPECT_EQ(source_of(R"({"commit_info": {}, "benchmarks": []})"), report_source::pytest_benchmark);
    EXPECT_EQ(source_of(R"({"results": [{"command": "a"}]})"), report_source::hyperfine);
    EXPECT_EQ(source_of(R"(window.BENCHMARK_DATA = {"entries": {}})"),
              report_source::github_action_benchmark);
    EXPECT_EQ(source_of(R"({"lastUpdate": 1, "entries": {}})"), report_source::github_action_benchmark);
    EXPECT_EQ(source_of(R"({"reason":"benchmark-complete","id":"a"})"), report_source::criterion);
    EXPECT_EQ(source_of(R"({"reason":"group-complete","benchmarks":[]})"), report_source::criterion);
}

TEST(recognition, a_cut_file_and_a_file_with_noise_before_it_are_recognised) {
    EXPECT_EQ(source_of(R"({"context": {"x": [1, 2]}, "benchmarks": [{"na)"),
              report_source::google_benchmark);
    EXPECT_EQ(source_of("Running ./bench\n{\"benchmarks\": []}"), report_source::google_benchmark);
    EXPECT_EQ(source_of("window.BENCHMARK_DATA"), report_source::github_action_benchmark);
}

TEST(recognition, only_the_keys_of_the_outermost_object_count) {
    EXPECT_EQ(source_of(R"({"a": {"benchmarks": []}, "b": "\"benchmarks\": 1", "c": ["benchmarks"]})"),
              std::nullopt);
    EXPECT_EQ(source_of(R"({"a": 1} {"benchmarks": []})"), std::nullopt);
    EXPECT_EQ(source_of(R"({"results": [{"name": "a"}]})"), std::nullopt);
    for (const auto* text : {"", "{", "}", "\"", "{\"", "{\"\\", "nonsense", "[[[", "{}}}"})
        EXPECT_EQ(source_of(text), std::nullopt) << text;
}

TEST(recognition, the_files_of_loopbench_are_never_taken_for_the_files_of_a_tool) {
    EXPECT_EQ(source_of(reports::write_json(sample_report())), std::nullopt);
    EXPECT_EQ(source_of(R"({"results": [{"command": "x"}], "schema": "loopbench-report/2"})"), std::nullopt);
    EXPECT_EQ(
        source_of(R"({"schema": "loopbench-report/99", "results": [], "benchmarks": [], "command": "x"})"),
        std::nullopt);
}

}  // namespace

}  // namespace loopbench::tests
