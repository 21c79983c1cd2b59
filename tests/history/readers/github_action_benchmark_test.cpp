// Tests the reader of github-action-benchmark's data.js.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/history/readers/kept.hpp"

namespace loopbench::tests {

namespace {

std::string bench_row(const std::string& name, const std::string& value, const std::string& unit,
                      const std::string& more = "") {
    return fmt::format(R"({{"name": "{}", "value": {}, "unit": "{}"{}}})", name, value, unit, more);
}

std::string commit_entry(const std::string& id, const std::string& date, const std::string& benches,
                         const std::string& tool = "cargo") {
    return fmt::format(R"({{
        "commit": {{"author": {{"email": "a@example.org", "name": "A", "username": "a"}}, "distinct": true,
                    "id": "{}", "message": "a message", "timestamp": "2026-01-01T00:00:00Z",
                    "url": "https://example.org/commit"}},
        "date": {}, "tool": "{}", "benches": [{}]}})",
                       id, date, tool, benches);
}

std::string data_json(const std::string& suites) {
    return fmt::format(R"({{
  "lastUpdate": 1770000000000,
  "repoUrl": "https://example.org/repo",
  "entries": {{{}}}
}})",
                       suites);
}

std::string data_js(const std::string& suites) {
    return "window.BENCHMARK_DATA = " + data_json(suites);
}

std::string one_commit(const std::string& benches, const std::string& tool = "cargo") {
    return data_js(fmt::format("\"Suite\": [{}]", commit_entry("cafe", "1770000000123", benches, tool)));
}

/// Returns the only result of a file with one benchmark.
reports::result result_of_row(const std::string& value, const std::string& unit,
                              const std::string& tool = "cargo", const std::string& more = "") {
    const auto report = report_in_entry(only_entry_in(one_commit(bench_row("fib", value, unit, more), tool)));
    EXPECT_EQ(report.results.size(), 1U);
    return report.results.at(0);
}

TEST(github_action_benchmark, each_commit_of_each_suite_is_a_run_with_its_own_date) {
    const auto all = entries_in(data_js(
        fmt::format(R"("Rust": [{}, {}], "Go": [{}])",
                    commit_entry("aaaa", "1770000000123", bench_row("fib", "100", "ns/iter")),
                    commit_entry("bbbb", "1770000060000", bench_row("fib", "110", "ns/iter")),
                    commit_entry("bbbb", "1770000061000", bench_row("BenchmarkFib", "7", "ns/op"), "go"))));
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0].source, bench::report_source::github_action_benchmark);
    EXPECT_EQ(all[0].date, "2026-02-02T02:40:00Z");
    EXPECT_EQ(all[0].from.commit, "aaaa");
    EXPECT_EQ(all[1].date, "2026-02-02T02:41:00Z");
    EXPECT_EQ(all[1].from.commit, "bbbb");
    EXPECT_EQ(all[1].head.contenders.at(0).name, "Rust");
    EXPECT_EQ(all[2].head.contenders.at(0).name, "Go");
    EXPECT_EQ(result_in(report_in_entry(all[1]), "fib").median, 110);
}

TEST(github_action_benchmark, units_of_time_become_nanoseconds) {
    for (const auto& [unit, ns] : {std::pair{"ns/iter", 2.0},
                                   {"ns/op", 2.0},
                                   {"ns/call", 2.0},
                                   {"ns", 2.0},
                                   {"nsec", 2.0},
                                   {"us/iter", 2e3},
                                   {"\xC2\xB5s/iter", 2e3},  // both Unicode characters look like µ
                                   {"\xCE\xBCs", 2e3},
                                   {"usec", 2e3},
                                   {"ms/op", 2e6},
                                   {" MS ", 2e6},
                                   {"msec", 2e6},
                                   {"Milliseconds", 2e6},
                                   {"s", 2e9},
                                   {"sec", 2e9},
                                   {"seconds", 2e9},
                                   {"s/iter", 2e9},
                                   {R"(ns/op\t      24 B/op\t       1 allocs/op)", 2.0}}) {
        const auto time = result_of_row("2", unit);
        EXPECT_EQ(time.metric, "time") << unit;
        EXPECT_EQ(time.unit, "ns") << unit;
        EXPECT_DOUBLE_EQ(time.median.value_or(0), ns) << unit;
    }
}

TEST(github_action_benchmark, rates_become_a_throughput_of_which_more_is_better) {
    for (const auto& [unit, tool, rate] : {std::tuple{"ops/sec", "benchmarkjs", 5.0},
                                           {"iter/sec", "pytest", 5.0},
                                           {"ops/s", "jmh", 5.0},
                                           {"ops/ms", "jmh", 5e3},
                                           {"ops/us", "jmh", 5e6},
                                           {"ops/ns", "jmh", 5e9},
                                           {"ops/sec", "customBiggerIsBetter", 5.0}}) {
        const auto item = result_of_row("5", unit, tool);
        EXPECT_EQ(item.metric, "throughput") << unit;
        EXPECT_EQ(item.better, reports::direction::larger) << unit;
        EXPECT_DOUBLE_EQ(item.median.value_or(0), rate) << unit;
    }
}

TEST(github_action_benchmark, a_value_with_an_unknown_unit_keeps_it_and_has_the_direction_of_its_tool) {
    for (const auto& [unit, tool, better] :
         {std::tuple{"MB/s", "customBiggerIsBetter", reports::direction::larger},
          {"KiB", "customSmallerIsBetter", reports::direction::smaller},
          {"B/op", "go", reports::direction::smaller},
          {"allocs/op", "go", reports::direction::smaller},
          {"ns/byte", "customSmallerIsBetter", reports::direction::smaller},
          {"", "customSmallerIsBetter", reports::direction::smaller}}) {
        const auto item = result_of_row("5", unit, tool);
        EXPECT_EQ(item.metric, "value") << unit;
        EXPECT_EQ(item.unit, unit);
        EXPECT_EQ(item.better, better) << unit;
        EXPECT_EQ(item.median, 5) << unit;
    }
}

TEST(github_action_benchmark, a_direction_that_contradicts_the_unit_is_believed) {
    const auto battery = result_of_row("5", "seconds", "customBiggerIsBetter");
    EXPECT_EQ(battery.metric, "value");
    EXPECT_EQ(battery.better, reports::direction::larger);
    EXPECT_EQ(battery.median, 5);
    const auto retries = result_of_row("5", "ops/s", "customSmallerIsBetter");
    EXPECT_EQ(retries.metric, "value");
    EXPECT_EQ(retries.better, reports::direction::smaller);
}

TEST(github_action_benchmark, the_metric_of_a_value_is_primary_so_that_changes_are_found) {
    for (const auto* unit : {"ns/iter", "ops/sec", "KiB"}) {
        const auto kept = only_entry_in(one_commit(bench_row("fib", "5", unit), "go"));
        EXPECT_SAYS(kept.points, "fib") << unit;
    }
}

TEST(github_action_benchmark, a_range_is_no_interval_because_each_tool_means_something_else) {
    for (const auto* range : {"\xC2\xB1 20", "\xC2\xB1\x31.12%", "+/- 3", "stddev: 0.000012"}) {
        const auto time =
            result_of_row("100", "ns/iter", "cargo",
                          fmt::format(R"(, "range": "{}", "extra": "10 samples\n2 procs")", range));
        EXPECT_EQ(time.median, 100) << range;
        EXPECT_TRUE(time.samples.empty() && !time.low && !time.high) << range;
    }
}

TEST(github_action_benchmark, rows_with_equal_names_are_numbered) {
    const auto report = report_in_entry(only_entry_in(one_commit(
        bench_row("fib", "1", "ns") + "," + bench_row("fib", "2", "ns") + "," + bench_row("", "3", "ns"))));
    EXPECT_EQ(result_in(report, "fib/#1/2").median, 1);
    EXPECT_EQ(result_in(report, "fib/#2/2").median, 2);
    EXPECT_EQ(result_in(report, "(unnamed)").median, 3);
}

TEST(github_action_benchmark, the_spread_of_google_benchmarks_repetitions_is_not_taken_for_a_time) {
    std::string rows;
    for (const auto* ending : {"", "_mean", "_median", "_stddev", "_cv"})
        rows += (rows.empty() ? "" : ",") + bench_row(std::string{"BM_a"} + ending, "1", "ns/iter");
    rows += "," + bench_row("BM_to_stddev", "1", "ns/iter");
    const auto report = report_in_entry(only_entry_in(one_commit(rows, "googlecpp")));
    for (const auto* kept : {"BM_a", "BM_a_mean", "BM_a_median", "BM_to_stddev"})
        EXPECT_TRUE(has_metric(report, kept, "time")) << kept;
    EXPECT_EQ(report.results.size(), 4U);
}

TEST(github_action_benchmark, a_value_in_a_text_is_a_number) {
    EXPECT_EQ(result_of_row(R"("12.5")", "ns").median, 12.5);
    EXPECT_EQ(result_of_row(R"("1e3")", "ns").median, 1000);
}

TEST(github_action_benchmark, a_value_that_is_impossible_is_refused) {
    for (const auto& [value, reason] : {std::pair{"null", "not a number"},
                                        {"NaN", "not a number"},
                                        {R"("fast")", "not a number"},
                                        {R"("12 ns")", "not a number"},
                                        {R"("")", "not a number"},
                                        {"0", "above 0"},
                                        {"-1", "above 0"},
                                        {"1e308", "not a number"}}) {
        const auto item = result_of_row(value, "s");
        EXPECT_EQ(item.status, reports::result_status::failed) << value;
        EXPECT_SAYS(item.reason.value_or(""), reason);
    }
    EXPECT_EQ(result_of_row("0", "allocs/op", "go").median, 0) << "a count can be 0";
    EXPECT_EQ(result_of_row("-3", "dB").median, -3);
}

TEST(github_action_benchmark, the_json_of_an_external_file_and_an_edited_script_are_read) {
    const auto suites =
        fmt::format("\"Suite\": [{}]", commit_entry("cafe", "1770000000123", bench_row("a", "1", "ns")));
    const auto content = only_entry_in(data_js(suites)).content;
    for (const auto& text : {data_json(suites), "\n" + data_js(suites) + "\n", data_js(suites) + ";\n",
                             "window.BENCHMARK_DATA=" + data_json(suites)})
        EXPECT_EQ(only_entry_in(text).content, content) << text;
}

TEST(github_action_benchmark, a_date_that_is_impossible_is_refused_with_its_place) {
    for (const auto* date : {"0", "-5", "1e20", "null", "\"2026-01-01\"", "true"}) {
        const auto text = data_js(fmt::format(
            R"("Suite": [{}, {}])", commit_entry("aaaa", "1770000000123", bench_row("a", "1", "ns")),
            commit_entry("bbbb", date, bench_row("a", "1", "ns"))));
        EXPECT_SAYS(refusal_of(text), "entries.Suite[1].date");
    }
}

TEST(github_action_benchmark, a_stated_date_and_a_stated_commit_are_refused) {
    const auto text = data_js(fmt::format(R"("Suite": [{}, {}])",
                                          commit_entry("aaaa", "1770000000123", bench_row("a", "1", "ns")),
                                          commit_entry("bbbb", "1770000060000", bench_row("a", "1", "ns"))));
    EXPECT_SAYS(refusal_of(text, some_day), "--date");
    EXPECT_SAYS(refusal_of(text, {}, {"cafe", {}, ""}), "--commit");
    const auto named = entries_in(text, {}, {"", false, "runner"});
    EXPECT_EQ(named[1].from.commit, "bbbb");
    EXPECT_EQ(named[1].from.machine, "runner");
    EXPECT_EQ(named[1].from.dirty, false);
}

TEST(github_action_benchmark, equal_values_of_two_suites_or_commits_in_the_same_second_are_different_runs) {
    const auto row = bench_row("a", "1", "ns");
    const auto all = entries_in(data_js(
        fmt::format(R"("One": [{}, {}], "Two": [{}])", commit_entry("aaaa", "1770000000123", row),
                    commit_entry("bbbb", "1770000000124", row), commit_entry("aaaa", "1770000000123", row))));
    ASSERT_EQ(all.size(), 3U);
    EXPECT_NE(all[0].content, all[1].content);
    EXPECT_NE(all[0].content, all[2].content);
}

TEST(github_action_benchmark, a_later_file_has_the_same_runs_again) {
    const auto first = commit_entry("aaaa", "1770000000123", bench_row("a", "1", "ns"));
    const auto second = commit_entry("bbbb", "1770000060000", bench_row("a", "2", "ns"));
    const auto before = entries_in(data_js(fmt::format(R"("Suite": [{}])", first)));
    const auto after = entries_in(data_js(fmt::format(R"("Other": [], "Suite": [{}, {}])", first, second)));
    ASSERT_EQ(after.size(), 2U);
    EXPECT_EQ(before[0].content, after[0].content);
}

TEST(github_action_benchmark, a_file_without_benchmarks_is_refused_and_an_empty_commit_is_left_out) {
    for (const auto& none : {data_js(""), data_js("\"Suite\": []"), one_commit("")})
        EXPECT_SAYS(refusal_of(none), "no benchmark");
    EXPECT_EQ(
        entries_in(data_js(fmt::format(R"("Suite": [{}, {}])", commit_entry("aaaa", "1770000000123", ""),
                                       commit_entry("bbbb", "1770000060000", bench_row("a", "1", "ns")))))
            .size(),
        1U);
}

TEST(github_action_benchmark, the_error_for_an_invalid_file_names_the_tool_and_the_place) {
    auto cut = one_commit(bench_row("a", "1", "ns"));
    cut.resize(cut.size() - 10);
    EXPECT_SAYS(refusal_of(cut), "github-action-benchmark");
    EXPECT_SAYS(refusal_of(cut), "line 8");
    EXPECT_SAYS(refusal_of(one_commit(R"({"name": "a", "unit": "ns"})")), "value");
    EXPECT_SAYS(refusal_of(one_commit(R"({"name": 7, "value": 1})")), "benches[0].name");
    EXPECT_SAYS(refusal_of("window.BENCHMARK_DATA = "), "github-action-benchmark");
    EXPECT_SAYS(refusal_of(R"({"lastUpdate": 1, "entries": [1]})"), "entries");
}

TEST(github_action_benchmark, names_with_line_breaks_and_a_missing_commit_are_kept) {
    const auto text =
        data_js(fmt::format(R"("My\nsuite": [{{"date": 1770000000123, "tool": "go", "benches": [{}]}}])",
                            bench_row(R"(a\nb)", "1", "ns")));
    const auto kept = only_entry_in(text);
    EXPECT_EQ(kept.from.commit, "");
    EXPECT_EQ(kept.head.contenders.at(0).name, "My\nsuite");
    EXPECT_TRUE(has_metric(report_in_entry(kept), "a\nb", "time"));
}

}  // namespace

}  // namespace loopbench::tests
