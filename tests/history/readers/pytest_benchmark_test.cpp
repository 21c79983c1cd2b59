// Tests the reader of pytest-benchmark's JSON.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/history/readers/kept.hpp"

namespace loopbench::tests {

namespace {

struct pytest_file {
    std::string benchmarks;
    std::string datetime = "2026-02-03T04:05:06.789012+00:00";
    std::string commit =
        R"({"id": "0123456789abcdef0123456789abcdef01234567", "time": "2026-02-01T00:00:00+01:00",
        "author_time": null, "dirty": true, "project": "codec", "branch": "main"})";
    std::string machine = R"({"node": "secret-host", "processor": "x86_64", "machine": "x86_64",
        "python_compiler": "GCC 12.2.0", "python_implementation": "CPython", "python_version": "3.11.2",
        "release": "6.1.0-9-amd64", "system": "Linux",
        "cpu": {"brand_raw": "A fast processor", "count": 8, "hz_actual": [2000000000, 0]}})";

    [[nodiscard]] std::string text() const {
        return fmt::format(
            R"({{"machine_info": {}, "commit_info": {}, "benchmarks": [{}], "datetime": {}, "version": "5.1.0"}})",
            machine, commit, benchmarks, datetime.empty() ? "null" : fmt::format("\"{}\"", datetime));
    }
};

std::string pytest_row(const std::string& fullname, const std::string& stats) {
    return fmt::format(R"({{"group": null, "name": "test_x", "fullname": "{}", "params": null, "param": null,
        "extra_info": {{}}, "options": {{"disable_gc": false, "timer": "perf_counter", "min_rounds": 5}},
        "stats": {}}})",
                       fullname, stats);
}

constexpr auto with_data = R"({"min": 0.001, "max": 0.003, "mean": 0.002, "stddev": 0.0008, "rounds": 3,
    "median": 0.002, "iqr": 0.001, "q1": 0.0015, "q3": 0.0025, "outliers": "1;0", "ops": 500.0, "total": 0.006,
    "data": [0.001, 0.002, 0.003], "iterations": 10})";

constexpr auto without_data = R"({"min": 0.001, "max": 0.003, "mean": 0.002, "median": 0.0015, "rounds": 3,
    "iterations": 10})";

const std::string encode = "tests/test_codec.py::test_encode[utf-8]";

reports::report report_in_file(const pytest_file& file) {
    return report_in_entry(only_entry_in(file.text()));
}

TEST(pytest_benchmark, each_round_is_a_sample) {
    const auto kept = only_entry_in(pytest_file{pytest_row(encode, with_data)}.text());
    EXPECT_EQ(kept.source, bench::report_source::pytest_benchmark);
    const auto time = result_in(report_in_entry(kept), encode);
    expect_near(time.samples, {1e6, 2e6, 3e6});
    EXPECT_NEAR(time.median.value_or(0), 2e6, 1);
}

TEST(pytest_benchmark, the_file_names_the_project_the_commit_and_its_state) {
    const auto kept = only_entry_in(pytest_file{pytest_row(encode, with_data)}.text());
    EXPECT_EQ(kept.from.commit, "0123456789abcdef0123456789abcdef01234567");
    EXPECT_EQ(kept.from.dirty, true);
    EXPECT_EQ(kept.said.commit, "");
    EXPECT_EQ(kept.head.contenders.at(0).name, "codec");
    EXPECT_EQ(kept.head.contenders.at(0).compiler, "CPython 3.11.2");
    EXPECT_EQ(kept.head.contenders.at(0).version, "5.1.0");
}

TEST(pytest_benchmark, a_stated_commit_replaces_the_commit_of_the_file_and_its_state) {
    const auto kept = only_entry_in(pytest_file{pytest_row(encode, with_data)}.text(), {}, {"cafe", {}, ""});
    EXPECT_EQ(kept.from.commit, "cafe");
    EXPECT_FALSE(kept.from.dirty.has_value());
}

TEST(pytest_benchmark, the_machine_is_kept_without_the_name_of_the_host) {
    const auto kept = only_entry_in(pytest_file{pytest_row(encode, with_data)}.text());
    EXPECT_EQ(kept.head.where.cpu_model, "A fast processor");
    EXPECT_EQ(kept.head.where.cores, 8);
    EXPECT_EQ(kept.head.where.kernel, "Linux 6.1.0-9-amd64 x86_64");
    EXPECT_EQ(kept.report.find("secret"), std::string::npos);
}

TEST(pytest_benchmark, a_file_of_version_2_without_project_and_processor_is_read) {
    pytest_file old{pytest_row(encode, without_data)};
    old.machine = R"({"release": "3.13.0", "system": "Linux", "node": "secret", "processor": "x86_64",
        "machine": "x86_64", "python_version": "2.7.3", "python_implementation": "CPython"})";
    old.commit = R"({"dirty": false, "id": "beef"})";
    const auto kept = only_entry_in(old.text());
    EXPECT_EQ(kept.head.contenders.at(0).name, "pytest-benchmark");
    EXPECT_EQ(kept.head.where.cpu_model, "x86_64");
    EXPECT_EQ(kept.from.dirty, false);
}

TEST(pytest_benchmark, the_date_is_in_utc_whether_or_not_the_file_names_the_zone) {
    pytest_file file{pytest_row(encode, with_data)};
    for (const auto& [printed, date] : {std::pair{"2026-02-03T04:05:06.789012+00:00", "2026-02-03T04:05:06Z"},
                                        {"2026-02-03T04:05:06+00:00", "2026-02-03T04:05:06Z"},
                                        {"2019-02-03T04:05:06.789012", "2019-02-03T04:05:06Z"},
                                        {"2026-02-03T04:05:06", "2026-02-03T04:05:06Z"},
                                        {"2026-02-03T04:05:06.7+02:00", "2026-02-03T02:05:06Z"}}) {
        file.datetime = printed;
        EXPECT_EQ(only_entry_in(file.text()).date, date) << printed;
    }
}

TEST(pytest_benchmark, a_stated_date_is_only_for_a_file_without_a_date) {
    pytest_file file{pytest_row(encode, with_data)};
    EXPECT_SAYS(refusal_of(file.text(), some_day), "--date");
    file.datetime = "";
    EXPECT_SAYS(refusal_of(file.text()), "--date");
    EXPECT_EQ(only_entry_in(file.text(), some_day).date, some_day.date);
    file.datetime = "2026-02-31T04:05:06";
    EXPECT_SAYS(refusal_of(file.text()), "invalid");
}

TEST(pytest_benchmark, saved_statistics_without_data_are_values_without_samples) {
    const auto time = result_in(report_in_file({pytest_row(encode, without_data)}), encode);
    EXPECT_NEAR(time.median.value_or(0), 1.5e6, 1);
    EXPECT_TRUE(time.samples.empty() && !time.low && !time.high);
}

TEST(pytest_benchmark, a_time_that_is_impossible_is_refused) {
    for (const auto& [data, reason] : {std::pair{"[0.001, NaN]", "not a number"},
                                       {"[0.001, null]", "not a number"},
                                       {"[Infinity]", "not a number"},
                                       {"[0.0, 0.001]", "above 0"},
                                       {"[-0.001]", "above 0"}}) {
        const auto report =
            report_in_file({pytest_row(encode, fmt::format(R"({{"mean": 1, "data": {}}})", data))});
        EXPECT_EQ(result_in(report, encode).status, reports::result_status::failed) << data;
        EXPECT_SAYS(result_in(report, encode).reason.value_or(""), reason);
    }
}

TEST(pytest_benchmark, a_commit_without_a_repository_is_unknown) {
    pytest_file file{pytest_row(encode, with_data)};
    for (const auto* commit : {R"({"id": "unversioned", "dirty": false})",
                               R"({"id": "unknown", "error": "?"})", R"({"id": null})", "null"}) {
        file.commit = commit;
        const auto kept = only_entry_in(file.text());
        EXPECT_EQ(kept.from.commit, "") << commit;
        EXPECT_FALSE(kept.from.dirty.has_value()) << commit;
    }
}

TEST(pytest_benchmark, benchmarks_with_equal_names_are_numbered) {
    const auto report =
        report_in_file({pytest_row("test_a", with_data) + "," + pytest_row("test_a", without_data)});
    EXPECT_EQ(result_in(report, "test_a/#1/2").samples.size(), 3U);
    EXPECT_EQ(result_in(report, "test_a/#2/2").samples.size(), 0U);
}

TEST(pytest_benchmark, a_benchmark_without_a_full_name_has_its_short_name) {
    EXPECT_TRUE(has_metric(report_in_file({pytest_row("", with_data)}), "test_x", "time"));
}

TEST(pytest_benchmark, a_file_without_benchmarks_is_refused) {
    EXPECT_SAYS(refusal_of(pytest_file{}.text()), "no benchmark");
}

TEST(pytest_benchmark, the_error_for_an_invalid_file_names_the_tool_and_the_place) {
    auto cut = pytest_file{pytest_row(encode, with_data)}.text();
    cut.resize(cut.size() - 30);
    EXPECT_SAYS(refusal_of(cut), "pytest-benchmark");
    EXPECT_SAYS(refusal_of(cut), "line ");
    EXPECT_SAYS(refusal_of(pytest_file{pytest_row(encode, "null")}.text()), "benchmarks[0].stats");
    EXPECT_SAYS(refusal_of(pytest_file{R"({"fullname": "x"})"}.text()), "stats");
}

TEST(pytest_benchmark, the_same_file_is_the_same_run_and_another_date_is_another_run) {
    pytest_file file{pytest_row(encode, with_data)};
    const auto one = only_entry_in(file.text()).content;
    EXPECT_EQ(only_entry_in(file.text(), {}, {"cafe", {}, "left"}).content, one);
    file.datetime = "2026-02-04T04:05:06+00:00";
    EXPECT_NE(only_entry_in(file.text()).content, one);
}

}  // namespace

}  // namespace loopbench::tests
