// What is kept of a report, and the report that is made of it again.
#include "bench/history/entry.hpp"

#include <gtest/gtest.h>

#include "bench/summary/summary.hpp"
#include "reports/json.hpp"
#include "support.hpp"
#include "tests/support/sample_report.hpp"

namespace loopbench::tests {

namespace {

using bench::entry;

std::vector<bench::kept_text> texts_of(const entry& of) {
    std::vector<bench::kept_text> all;
    for (const auto& each : of.results) all.push_back({each.of, each.values});
    return all;
}

const bench::kept_results* find(const entry& in, std::string_view workload, std::string_view metric) {
    for (const auto& each : in.results)
        if (each.of.workload == workload && each.of.metric == metric) return &each;
    return nullptr;
}

TEST(entry, becomes_the_report_again_to_the_byte) {
    for (const auto& report : {sample_report(), report_of_day(1)}) {
        const auto kept = bench::entry_of(report, {});
        EXPECT_EQ(reports::write_json(bench::restored(kept.head_text, texts_of(kept))),
                  reports::write_json(report));
    }
}

TEST(entry, is_the_same_whatever_file_it_is_read_from_and_another_when_a_number_is) {
    const auto report = sample_report();
    const auto read = bench::read_entry(reports::write_json(report), "report.json", {"abc", true, "left"});
    EXPECT_EQ(read.content, bench::entry_of(report, {}).content);
    auto other = report;
    other.results[0].samples[0] = std::nextafter(*other.results[0].samples[0], 1e9);
    EXPECT_NE(bench::entry_of(other, {}).content, read.content);
}

TEST(entry, has_ratios_where_there_are_and_values_of_counts_and_of_what_has_none) {
    const auto kept = bench::entry_of(report_of_day(1, 1.5, 3), {});
    const auto* times = find(kept, "yield", "time");
    ASSERT_NE(times, nullptr);
    EXPECT_TRUE(times->headline);
    ASSERT_EQ(times->points.size(), 2);
    EXPECT_FALSE(times->points[0].is_ratio) << "of the baseline";
    EXPECT_TRUE(times->points[1].is_ratio);
    EXPECT_EQ(times->points[1].value, 1.5);
    const auto* counts = find(kept, "yield", "syscalls");
    ASSERT_NE(counts, nullptr);
    EXPECT_FALSE(counts->points[1].is_ratio);
    EXPECT_EQ(counts->points[1].value, 3);
}

TEST(entry, that_is_damaged_is_said_to_be) {
    const auto kept = bench::entry_of(report_of_day(1), {});
    auto texts = texts_of(kept);
    texts[0].values = "[[0]]";
    EXPECT_THROW(bench::restored(kept.head_text, texts), reports::format_error);
    EXPECT_THROW(bench::restored("{}", {}), reports::format_error);
}

constexpr auto of_google_benchmark = R"({
  "context": {"date": "2026-01-05T12:00:00+02:00", "host_name": "secret", "executable": "/home/secret/my_bench",
              "num_cpus": 4, "mhz_per_cpu": 3000, "commit": "cafe"},
  "benchmarks": [
    {"name": "BM_sort", "run_name": "BM_sort", "run_type": "iteration", "real_time": 2.0, "cpu_time": 1.5,
     "time_unit": "us", "items_per_second": 10.0, "bytes_per_second": 7.0, "mine": 5.0},
    {"name": "BM_sort", "run_name": "BM_sort", "run_type": "iteration", "real_time": 4.0, "cpu_time": 3.5,
     "time_unit": "us", "items_per_second": NaN},
    {"name": "BM_sort_mean", "run_name": "BM_sort", "run_type": "aggregate", "aggregate_name": "mean",
     "real_time": 3.0, "cpu_time": 2.5, "time_unit": "us"},
    {"name": "BM_broken", "run_name": "BM_broken", "run_type": "iteration", "error_occurred": true,
     "error_message": "it broke"}]})";

TEST(entry, of_google_benchmark_has_a_sample_for_each_repetition) {
    const auto kept = bench::read_entry(of_google_benchmark, "bench.json", {});
    EXPECT_EQ(kept.source, bench::report_source::google_benchmark);
    EXPECT_EQ(kept.from.commit, "cafe");
    EXPECT_EQ(kept.head.where.date, "2026-01-05T10:00:00Z");
    const auto report = bench::restored(kept.head_text, texts_of(kept));
    const auto* time = reports::find_result(report, "BM_sort", "my_bench");
    ASSERT_NE(time, nullptr);
    EXPECT_EQ(time->samples, (std::vector<std::optional<double>>{2000.0, 4000.0}));
    EXPECT_EQ(time->median, 3000);
    const auto* rate = reports::find_result(report, "BM_sort", "my_bench", "bytes_per_second");
    ASSERT_NE(rate, nullptr);
    EXPECT_EQ(rate->better, reports::direction::larger);
    EXPECT_EQ(reports::find_result(report, "BM_sort", "my_bench", "throughput")->samples.size(), 1);
    EXPECT_EQ(reports::find_result(report, "BM_sort", "my_bench", "mine"), nullptr)
        << "nobody knows which way it is better";
    EXPECT_EQ(reports::find_result(report, "BM_broken", "my_bench")->reason, "it broke");
    EXPECT_EQ(kept.head_text.find("secret"), std::string::npos) << kept.head_text;
}

TEST(entry, of_something_else_is_refused_by_name) {
    for (const auto* text :
         {"", "{}", "nonsense", R"({"benchmarks": []})", R"({"schema": "loopbench/99"})"}) {
        try {
            bench::read_entry(text, "some.json", {});
            ADD_FAILURE() << text;
        } catch (const reports::format_error& error) {
            EXPECT_NE(std::string_view{error.what()}.find("some.json"), std::string_view::npos)
                << error.what();
        }
    }
}

}  // namespace

}  // namespace loopbench::tests
