// Tests that a history keeps enough of a report to restore it.
#include "bench/harness/history/entry.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "bench/harness/summary/summary.hpp"
#include "reports/model/json.hpp"
#include "reports/render/columns.hpp"
#include "support.hpp"
#include "tests/support/sample_report.hpp"
#include "tests/support/says.hpp"

namespace loopbench::tests {

namespace {

nlohmann::json points_about(const bench::entry& kept, std::string_view metric) {
    const auto points = nlohmann::json::parse(kept.points);
    for (const auto& each : points["subjects"])
        if (each["of"]["metric"] == metric) return each;
    return {};
}

TEST(entry, an_entry_restores_its_report_byte_for_byte) {
    for (const auto& report : {sample_report(), report_of_day(1)})
        EXPECT_EQ(reports::write_json(reports::read_json(bench::entry_of(report, {}).report, "kept")),
                  reports::write_json(report));
}

TEST(entry, the_content_id_of_a_report_is_the_same_in_every_version_of_loopbench) {
    EXPECT_EQ(bench::entry_of(report_of_day(1), {}).content, "fbd6a555-a6a4-509d-9083-54214e793ff0");
}

TEST(entry, the_content_id_depends_on_the_contents_of_a_report_and_not_on_its_file) {
    const auto report = sample_report();
    const auto read = bench::read_entry(reports::write_json(report), "report.json", {"abc", true, "left"});
    EXPECT_EQ(read.content, bench::entry_of(report, {}).content);
    EXPECT_EQ(read.report, bench::entry_of(report, {}).report);
    EXPECT_EQ(read.content, "e09bb691-d18b-547d-a9ed-93263e4a518d")
        << "existing histories contain this identifier";
    auto other = report;
    other.results[0].samples[0] = std::nextafter(*other.results[0].samples[0], 1e9);
    EXPECT_NE(bench::entry_of(other, {}).content, read.content);
    other = report;
    other.where.cpu_model = "another";
    EXPECT_NE(bench::entry_of(other, {}).content, read.content);
}

TEST(entry, an_entry_stores_ratios_for_results_with_a_ratio_and_values_for_all_other_results) {
    auto report = report_of_day(1, 1.0 / 3, 1234567890.125);
    const auto kept = bench::entry_of(report, {});
    EXPECT_EQ(nlohmann::json::parse(kept.points)["contenders"], (nlohmann::json{"asio-epoll", "loop-epoll"}));
    const auto times = points_about(kept, "time"), counts = points_about(kept, "syscalls");
    EXPECT_EQ(times["of"]["pairing"], "sequential");
    EXPECT_EQ(times["values"]["of"], nlohmann::json{0}) << "of the baseline";
    EXPECT_EQ(times["ratios"]["of"], nlohmann::json{1});
    EXPECT_EQ(times["ratios"]["medians"], nlohmann::json{0.333333333});
    EXPECT_TRUE(counts["ratios"]["of"].empty());
    EXPECT_EQ(counts["values"]["medians"], (nlohmann::json{2.0, 1234567890.125})) << "all digits are kept";
}

// A duplicate result would put the run into a series twice.
TEST(entry, a_history_refuses_a_report_with_a_duplicate_result) {
    auto report = report_of_day(1);
    report.results.push_back(report.results[1]);
    try {
        bench::read_entry(reports::write_json(report), "report.json", {});
        ADD_FAILURE();
    } catch (const reports::format_error& error) {
        EXPECT_STREQ(
            error.what(),
            "report.json: the metric time of loop-epoll on yield occurs twice; write the report again");
    }
    report.results.back().made = reports::pairing::interleaved;
    EXPECT_NO_THROW(bench::entry_of(report, {})) << "the same metric with another pairing is another series";
}

TEST(entry, points_of_primary_metrics_and_counts_are_stored_separately_from_other_points) {
    auto report = report_of_day(1);
    report.workloads[0].primary_metrics = {"cpu"};
    auto kept = bench::entry_of(report, {});
    EXPECT_TRUE(points_about(kept, "time").is_null());
    EXPECT_FALSE(points_about(kept, "syscalls").is_null());
    std::swap(kept.points, kept.other_points);
    EXPECT_FALSE(points_about(kept, "time").is_null());
    EXPECT_TRUE(points_about(kept, "syscalls").is_null());
}

TEST(entry, a_result_without_a_number_adds_no_point_to_a_history) {
    auto report = report_of_day(1);
    report.results[0].median = std::numeric_limits<double>::infinity();
    report.results[1].low.reset();
    report.results[1].to_baseline->low.reset();
    report.results[2].status = reports::result_status::failed;
    const auto kept = bench::entry_of(report, {});
    EXPECT_TRUE(points_about(kept, "time")["values"]["of"].empty());
    EXPECT_TRUE(points_about(kept, "time")["ratios"]["lows"][0].is_null());
    EXPECT_EQ(points_about(kept, "syscalls")["values"]["of"].size(), 1);
}

TEST(dates, dates_are_converted_to_utc) {
    EXPECT_EQ(bench::in_utc("2026-11-22"), "2026-11-22");
    EXPECT_EQ(bench::in_utc("2026-11-22T18:07:18Z"), "2026-11-22T18:07:18Z");
    EXPECT_EQ(bench::in_utc("2026-11-22T18:07:18+01:00"), "2026-11-22T17:07:18Z");
    EXPECT_EQ(bench::in_utc("2026-12-31T23:30:00-01:00"), "2027-01-01T00:30:00Z");
    for (const auto* text : {"", "tomorrow", "2026-11", "2026-13-01", "2026-02-31", "2026-04-31T18:07:18Z",
                             "2026-11-22x", "2026-11-22T18:07:18", "2026-11-22 18:07:18Z", "-2026-11-22"})
        EXPECT_FALSE(bench::in_utc(text)) << text;
    EXPECT_FALSE(bench::in_utc(std::string{"2026-11-22\0", 11}));
}

constexpr auto of_google_benchmark = R"({
  "context": {"date": "2026-01-05T12:00:00+02:00", "host_name": "secret", "executable": "/home/secret/my_bench",
              "num_cpus": 4, "mhz_per_cpu": 3000, "commit": "cafe", "caches": [{"size": 32768}, {"size": 1048576}]},
  "benchmarks": [
    {"name": "BM_sort", "run_name": "BM_sort", "run_type": "iteration", "real_time": 2.0, "cpu_time": 1.5,
     "time_unit": "us", "items_per_second": 10.0, "bytes_per_second": 7.0, "mine": 5.0},
    {"name": "BM_sort", "run_name": "BM_sort", "run_type": "iteration", "real_time": 4.0, "cpu_time": 3.5,
     "time_unit": "us", "items_per_second": NaN},
    {"name": "BM_sort_mean", "run_name": "BM_sort", "run_type": "aggregate", "aggregate_name": "mean",
     "real_time": 3.0, "cpu_time": 2.5, "time_unit": "us"},
    {"name": "BM_broken", "run_name": "BM_broken", "run_type": "iteration", "error_occurred": true,
     "error_message": "it broke"}]})";

// Google Benchmark prints output without benchmarks if its filter matches nothing.
TEST(entry, google_benchmark_output_without_benchmarks_is_refused) {
    EXPECT_THROW(bench::read_entry(R"({"context": {"date": "2026-01-05T12:00:00Z"}, "benchmarks": []})",
                                   "bench.json", {}),
                 reports::format_error);
}

TEST(entry, each_repetition_of_google_benchmark_is_a_sample) {
    const auto kept = bench::read_entry(of_google_benchmark, "bench.json", {});
    EXPECT_EQ(kept.source, bench::report_source::google_benchmark);
    EXPECT_EQ(kept.from.commit, "cafe");
    EXPECT_EQ(kept.date, "2026-01-05T10:00:00Z");
    EXPECT_EQ(kept.head.where.cores, 4);
    EXPECT_EQ(kept.head.where.cpu_model, "a processor with caches of 32, 1024 KiB");
    const auto report = reports::read_json(kept.report, "kept");
    const auto* time = reports::find_result(report, "BM_sort", "my_bench");
    ASSERT_NE(time, nullptr);
    EXPECT_EQ(time->samples, (std::vector<std::optional<double>>{2000.0, 4000.0}));
    EXPECT_EQ(time->median, 3000);
    const auto* rate = reports::find_result(report, "BM_sort", "my_bench", "bytes_per_second");
    ASSERT_NE(rate, nullptr);
    EXPECT_EQ(rate->better, reports::direction::larger);
    EXPECT_EQ(reports::find_result(report, "BM_sort", "my_bench", "throughput")->samples.size(), 1);
    EXPECT_EQ(reports::find_result(report, "BM_sort", "my_bench", "mine"), nullptr)
        << "the direction of this counter is unknown";
    EXPECT_EQ(reports::find_result(report, "BM_broken", "my_bench")->reason, "it broke");
    EXPECT_EQ(kept.report.find("secret"), std::string::npos) << kept.report;
}

TEST(entry, a_counter_with_the_name_of_a_metric_adds_no_samples_to_the_metric) {
    std::string printed{of_google_benchmark};
    printed.insert(printed.find("\"mine\""), R"("throughput": 5.0, "cpu": 1250.0, "time": 99.0, )");
    const auto report = reports::read_json(bench::read_entry(printed, "bench.json", {}).report, "kept");
    const auto samples = [&](const char* metric) {
        return reports::find_result(report, "BM_sort", "my_bench", metric)->samples;
    };
    using several = std::vector<std::optional<double>>;
    EXPECT_EQ(samples("time"), (several{2000.0, 4000.0}));
    EXPECT_EQ(samples("cpu"), (several{1250.0, 3500.0}));
    EXPECT_EQ(samples("throughput"), several{10.0});
}

TEST(entry, a_result_of_google_benchmark_with_a_failed_repetition_has_no_number) {
    std::string printed{of_google_benchmark};
    for (const auto* message : {"wrong result", "and again"})
        printed.insert(printed.find("    {\"name\": \"BM_broken\""),
                       fmt::format(R"({{"name": "BM_sort", "run_name": "BM_sort", "run_type": "iteration",
            "error_occurred": true, "error_message": "{}", "real_time": 0, "cpu_time": 0, "time_unit": "ns"}},
)",
                                   message));
    const auto kept = bench::read_entry(printed, "bench.json", {});
    const auto report = reports::read_json(kept.report, "kept");
    ASSERT_EQ(report.results.size(), 2) << kept.report;
    const auto* const failed = reports::find_result(report, "BM_sort", "my_bench");
    ASSERT_NE(failed, nullptr);
    EXPECT_EQ(failed->status, reports::result_status::failed);
    EXPECT_EQ(failed->reason, "wrong result") << "the first error message counts";
    EXPECT_TRUE(failed->samples.empty() && !failed->median);
    EXPECT_TRUE(points_about(kept, "time").is_null());
}

std::string google_benchmark_rows(std::string_view executable, std::string_view rows) {
    return fmt::format(
        R"({{"context":{{"date":"2026-01-05T10:00:00+00:00","executable":"{}","num_cpus":4}},"benchmarks":[{}]}})",
        executable, rows);
}

reports::report kept_report(const std::string& printed) {
    return reports::read_json(bench::read_entry(printed, "bench.json", {}).report, "kept");
}

TEST(entry, the_result_of_a_google_benchmark_that_skips_itself_is_unsupported) {
    const auto report = kept_report(google_benchmark_rows(
        "/x/bench", R"({"name":"avx512","skipped":true,"skip_message":"this processor has none"})"));
    EXPECT_EQ(report.results.at(0).status, reports::result_status::unsupported);
    EXPECT_EQ(report.results.at(0).reason, "this processor has none");
}

TEST(entry, the_program_name_from_a_windows_path_contains_no_folders) {
    const auto report = kept_report(google_benchmark_rows(R"(C:\\Users\\me\\private\\codec_bench.exe)",
                                                          R"({"name":"encode","real_time":10})"));
    EXPECT_EQ(report.results.at(0).contender, "codec_bench.exe");
}

// An older version pooled benchmarks with equal names: 10 ns and 5,000 ns became 2.5 µs.
TEST(entry, google_benchmarks_with_equal_names_are_numbered) {
    const auto report = kept_report(google_benchmark_rows(
        "/x/bench", R"({"name":"push","real_time":10,"family_index":0,"per_family_instance_index":0},
                       {"name":"push","real_time":5000,"family_index":1,"per_family_instance_index":0},
                       {"name":"push","real_time":6000,"family_index":1,"per_family_instance_index":0})"));
    ASSERT_EQ(reports::find_result(report, "push", "bench"), nullptr);
    EXPECT_EQ(reports::find_result(report, "push/#1/2", "bench")->median, 10);
    EXPECT_EQ(reports::find_result(report, "push/#2/2", "bench")->samples.size(), 2U);
}

// Negative CPU times: google/benchmark#96; numbers that are not finite: google/benchmark#784.
TEST(entry, a_google_benchmark_without_a_usable_time_has_a_reason_and_a_negative_cpu_time_is_left_out) {
    for (const auto* fields :
         {R"("cpu_time":1)", R"("real_time":nan,"cpu_time":1)", R"("real_time":"1","cpu_time":1)",
          R"("real_time":1e308,"cpu_time":1,"time_unit":"s")"}) {
        const auto report =
            kept_report(google_benchmark_rows("/x/bench", fmt::format(R"({{"name":"encode",{}}})", fields)));
        ASSERT_EQ(report.results.size(), 1U) << fields;
        EXPECT_EQ(report.results[0].status, reports::result_status::failed) << fields;
        EXPECT_SAYS(report.results[0].reason.value_or(""), "no time") << fields;
    }
    const auto report =
        kept_report(google_benchmark_rows("/x/bench", R"({"name":"encode","real_time":1,"cpu_time":-1})"));
    EXPECT_EQ(reports::find_result(report, "encode", "bench")->median, 1);
    EXPECT_EQ(reports::find_result(report, "encode", "bench", "cpu"), nullptr);
}

// A counter can have the name of a primary metric of loopbench's own workloads.
TEST(entry, only_the_time_of_a_google_benchmark_is_a_primary_metric) {
    const auto entry = bench::read_entry(
        google_benchmark_rows("/x/bench", R"({"name":"idle/map","real_time":10,"capacity":5,"late_p50":2})"),
        "bench.json", {});
    EXPECT_EQ(entry.head.workloads.at(0).primary_metrics, std::vector<std::string>{"time"});
    EXPECT_FALSE(points_about(entry, "time").is_null());
    EXPECT_TRUE(points_about(entry, "capacity").is_null());
    EXPECT_TRUE(points_about(entry, "late_p50").is_null());
}

TEST(entry, numbered_names_of_google_benchmarks_are_those_of_the_listing) {
    const auto report = kept_report(google_benchmark_rows(
        "/x/bench",
        R"({"name":"x","real_time":1,"family_index":0},{"name":"x","real_time":2,"family_index":1},
                       {"name":"x/#1/2","real_time":3,"family_index":2})"));
    EXPECT_EQ(reports::find_result(report, "x/##1/2", "bench")->median, 1);
    EXPECT_EQ(reports::find_result(report, "x/#2/2", "bench")->median, 2);
    EXPECT_EQ(reports::find_result(report, "x/#1/2", "bench")->median, 3);
}

TEST(entry, a_google_benchmark_file_with_only_variations_has_unsupported_results) {
    const auto report = kept_report(google_benchmark_rows(
        "/x/bench",
        R"({"name":"a_cv","run_name":"a","run_type":"aggregate","aggregate_name":"cv","real_time":0.1})"));
    EXPECT_EQ(report.results.at(0).status, reports::result_status::unsupported);
    EXPECT_SAYS(report.results.at(0).reason.value_or(""), "without a mean");
}

TEST(entry, the_error_for_an_incomplete_google_benchmark_file_advises_to_write_it_again) {
    auto printed = google_benchmark_rows("/x/bench", R"({"name":"a","real_time":1})");
    printed.resize(printed.size() - 10);
    const auto complaint_about = [](const std::string& text) {
        return complaint_of<reports::format_error>([&] { bench::read_entry(text, "b.json", {}); });
    };
    EXPECT_SAYS(complaint_about(printed), "write it again");
    EXPECT_EQ(complaint_about(printed).find("--benchmark_out="),
              complaint_about(printed).rfind("--benchmark_out="))
        << "only as the command that writes such files";
    EXPECT_SAYS(complaint_about("loading\n" + printed), "also prints other text");
}

TEST(entry, a_google_benchmark_with_a_negative_time_has_no_number) {
    const auto report =
        kept_report(google_benchmark_rows("/x/bench", R"({"name":"encode","real_time":-3,"cpu_time":1})"));
    EXPECT_EQ(report.results.at(0).status, reports::result_status::failed);
    EXPECT_SAYS(report.results.at(0).reason.value_or(""), "above 0");
}

// Google Benchmark before 1.5.1 wrote no time zone. Of 17 public files with output of Google Benchmark, 16
// have a date without a time zone.
TEST(entry, a_date_without_a_time_zone_is_refused_unless_the_user_states_the_date_or_the_zone) {
    auto printed = google_benchmark_rows("/x/bench", R"({"name":"encode","real_time":10})");
    printed.replace(printed.find("2026-01-05T10:00:00+00:00"), 25, "2021-09-02 18:59:37");
    EXPECT_EQ(bench::read_entry(printed, "bench.json", {}, {.assume_utc = true}).date,
              "2021-09-02T18:59:37Z");
    EXPECT_EQ(bench::read_entry(printed, "bench.json", {}, {.date = "2021-09-02T18:59:37+02:00"}).date,
              "2021-09-02T16:59:37Z");
    const auto complaint =
        complaint_of<reports::format_error>([&] { bench::read_entry(printed, "b.json", {}); });
    EXPECT_SAYS(complaint, "b.json");
    EXPECT_SAYS(complaint, "--assume-utc");
}

TEST(entry, a_date_without_a_time_of_day_can_be_stated_more_precisely) {
    auto printed = google_benchmark_rows("/x/bench", R"({"name":"encode","real_time":10})");
    printed.replace(printed.find("2026-01-05T10:00:00+00:00"), 25, "2021-09-02");
    EXPECT_EQ(bench::read_entry(printed, "bench.json", {}).date, "2021-09-02");
    EXPECT_EQ(bench::read_entry(printed, "bench.json", {}, {.date = "2021-09-02T18:59:37Z"}).date,
              "2021-09-02T18:59:37Z");
}

TEST(entry, a_stated_date_is_refused_if_the_file_has_a_complete_date) {
    for (const auto& text : {std::string{of_google_benchmark}, reports::write_json(sample_report())})
        EXPECT_SAYS(complaint_of<reports::format_error>(
                        [&] { bench::read_entry(text, "some.json", {}, {.date = "2021-09-02"}); }),
                    "--date");
}

TEST(entry, google_benchmark_output_of_a_program_in_a_folder_named_loopbench_is_recognized) {
    std::string printed{of_google_benchmark};
    printed.replace(printed.find("/home/secret"), 12, "/opt/loopbench/1.0");
    EXPECT_EQ(bench::read_entry(printed, "bench.json", {}).source, bench::report_source::google_benchmark);
}

TEST(entry, the_error_for_a_report_of_a_shard_suggests_merging_the_shards) {
    auto report = sample_report();
    report.warnings.push_back({std::string{reports::shard_code}, "this is shard 1 of 2", "merge"});
    const auto complaint = complaint_of<reports::format_error>(
        [&] { bench::read_entry(reports::write_json(report), "1/report.json", {}); });
    for (const auto* part : {"1/report.json: ", "shard", "`loopbench merge`"}) EXPECT_SAYS(complaint, part);
}

TEST(entry, the_error_for_a_file_that_is_not_a_report_names_the_file) {
    for (const auto* text :
         {"", "{}", "nonsense", R"({"benchmarks": []})", R"({"schema": "loopbench-report/99"})",
          R"({"context": {"date": "yesterday"}, "benchmarks": [{"name": "b", "run_name": "b", "run_type":
              "iteration", "real_time": 1, "cpu_time": 1, "time_unit": "ns"}]})"}) {
        EXPECT_SAYS(complaint_of<reports::format_error>([&] { bench::read_entry(text, "some.json", {}); }),
                    "some.json");
    }
}

}  // namespace

}  // namespace loopbench::tests
