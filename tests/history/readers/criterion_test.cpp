// Tests the reader of criterion's folders and of the lines of cargo criterion.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "reports/base/atomic_file.hpp"
#include "tests/history/readers/kept.hpp"
#include "tests/support/temporary_folder.hpp"

namespace loopbench::tests {

namespace {

namespace fs = std::filesystem;

constexpr auto linear_sample =
    R"({"sampling_mode": "Linear", "iters": [10.0, 20.0, 40.0], "times": [1000.0, 2200.0, 4800.0]})";

constexpr auto estimates = R"({"mean": {"confidence_interval": {"confidence_level": 0.95, "lower_bound": 90.0,
    "upper_bound": 110.0}, "point_estimate": 100.0, "standard_error": 1.0},
    "median": {"confidence_interval": {"confidence_level": 0.95, "lower_bound": 95.0, "upper_bound": 99.0},
    "point_estimate": 97.0, "standard_error": 0.5},
    "median_abs_dev": null, "slope": null, "std_dev": null})";

class criterion : public testing::Test {
protected:
    /// Writes the results of a benchmark into `path`, without estimates.
    void write_benchmark(const std::string& path, const std::string& full_id,
                         const std::string& sample = linear_sample) const {
        write(path + "/benchmark.json",
              fmt::format(R"({{"group_id": "g", "function_id": null, "value_str": null, "throughput": null,
                  "full_id": "{}", "directory_name": "{}", "title": "{}"}})",
                          full_id, full_id, full_id));
        if (!sample.empty()) write(path + "/sample.json", sample);
    }

    void write(const std::string& path, const std::string& text) const {
        fs::create_directories((folder_ / path).parent_path());
        reports::write_file_atomically(folder_ / path, text);
    }

    [[nodiscard]] fs::path path(const std::string& name = "") const { return folder_ / name; }

    [[nodiscard]] bench::entry entry_in(const std::string& name = "") const {
        auto all = bench::read_folder(path(name), {}, some_day);
        EXPECT_EQ(all.size(), 1U);
        return std::move(all.front());
    }
    [[nodiscard]] reports::report report(const std::string& name = "") const {
        return report_in_entry(entry_in(name));
    }
    [[nodiscard]] std::string refusal(const bench::date_rule& dated = some_day) const {
        return complaint_of<reports::format_error>([&] { bench::read_folder(path(), {}, dated); });
    }

private:
    temporary_folder folder_;
};

TEST_F(criterion, a_sample_is_a_time_divided_by_its_iterations) {
    write_benchmark("fib/iterative/20/new", "fib/iterative/20");
    write_benchmark("sort/new", "sort");
    const auto kept = entry_in();
    EXPECT_EQ(kept.source, bench::report_source::criterion);
    EXPECT_EQ(kept.date, some_day.date);
    const auto time = result_in(report_in_entry(kept), "fib/iterative/20");
    EXPECT_EQ(time.samples, (sample_list{100.0, 110.0, 120.0}));
    EXPECT_EQ(time.median, 110);
    EXPECT_TRUE(has_metric(report_in_entry(kept), "sort", "time"));
}

TEST_F(criterion, the_files_of_old_versions_are_read) {
    write_benchmark("fib/new", "fib", "[[10.0, 20.0], [1000.0, 2200.0]]");
    EXPECT_EQ(result_in(report(), "fib").samples, (sample_list{100.0, 110.0}));
    fs::remove(path("fib/new/sample.json"));
    write("fib/new/estimates.json",
          R"({"Mean": {}, "Median": {"confidence_interval": {"confidence_level": 0.95, "lower_bound": 4,
              "upper_bound": 6}, "point_estimate": 5, "standard_error": 1}, "StdDev": {}})");
    EXPECT_EQ(result_in(report(), "fib").median, 5);
}

TEST_F(criterion, the_baselines_and_the_changes_beside_the_newest_results_are_ignored) {
    write_benchmark("fib/new", "fib");
    write("fib/change/estimates.json", estimates);
    for (const auto* baseline : {"base", "main"})
        write_benchmark(fmt::format("fib/{}", baseline), "fib",
                        R"({"sampling_mode": "Flat", "iters": [1.0], "times": [7.0]})");
    EXPECT_EQ(report().results.size(), 1U);
    EXPECT_EQ(result_in(report(), "fib").median, 110);
    EXPECT_EQ(result_in(report("fib/main"), "fib").median, 7) << "a baseline that the user names";
}

TEST_F(criterion, any_folder_above_the_results_can_be_added) {
    write_benchmark("target/criterion/new/function/20/new", "new/function/20");
    write_benchmark("target/criterion/new/new", "new");
    for (const auto* name : {"", "target", "target/criterion", "target/criterion/new"})
        EXPECT_EQ(report(name).results.size(), 2U) << name;
    for (const auto* name : {"target/criterion/new/function/20", "target/criterion/new/function/20/new"})
        EXPECT_TRUE(has_metric(report(name), "new/function/20", "time")) << name;
}

TEST_F(criterion, results_without_samples_are_a_median_with_criterions_interval) {
    write_benchmark("fib/new", "fib", "");
    write("fib/new/estimates.json", estimates);
    const auto time = result_in(report(), "fib");
    EXPECT_TRUE(time.samples.empty());
    EXPECT_EQ(time.median, 97);
    EXPECT_EQ(time.low, 95);
    EXPECT_EQ(time.high, 99);
    std::string other{estimates};
    for (auto at = other.find("0.95"); at != std::string::npos; at = other.find("0.95"))
        other.replace(at, 4, "0.99");
    write("fib/new/estimates.json", other);
    EXPECT_FALSE(result_in(report(), "fib").low) << "a report has intervals of 95 %";
}

TEST_F(criterion, the_error_for_missing_or_invalid_files_names_the_file) {
    write("fib/new/sample.json", linear_sample);
    EXPECT_SAYS(refusal(), "fib/new/benchmark.json");
    write_benchmark("fib/new", "fib", R"({"sampling_mode": "Linear", "iters": [10.0, 2)");
    EXPECT_SAYS(refusal(), "fib/new/sample.json: line 1");
    write_benchmark("fib/new", "fib", R"({"iters": [10.0, 20.0], "times": [1000.0]})");
    EXPECT_SAYS(refusal(), "1 values, but 2");
    write_benchmark("fib/new", "fib", "[[1], [2], [3]]");
    EXPECT_SAYS(refusal(), "two lists");
    fs::remove(path("fib/new/sample.json"));
    write("fib/new/estimates.json", R"({"mean": {}})");
    EXPECT_SAYS(refusal(), "median");
}

TEST_F(criterion, a_folder_without_results_is_refused_with_the_remedy_for_cargo_criterion) {
    write("data/main/fib/benchmark.cbor", "?");
    EXPECT_SAYS(refusal(), "--message-format=json");
}

TEST_F(criterion, benchmarks_with_equal_names_are_numbered_in_the_order_of_their_folders) {
    write_benchmark("fib/new", "fib");
    write_benchmark("fib_2/new", "fib", R"({"iters": [1.0], "times": [7.0]})");
    EXPECT_EQ(result_in(report(), "fib/#1/2").median, 110);
    EXPECT_EQ(result_in(report(), "fib/#2/2").median, 7);
}

TEST_F(criterion, a_measurement_of_something_else_than_time_keeps_its_unit) {
    write_benchmark("fib/new", "fib");
    write("fib/new/raw.csv",
          "group,function,value,throughput_num,throughput_type,sample_measured_value,unit,iteration_count\n"
          "fib,,,,,1000.0,cycles,10\n");
    const auto item = result_in(report(), "fib", "value");
    EXPECT_EQ(item.unit, "cycles");
    EXPECT_EQ(item.median, 110);
    EXPECT_FALSE(has_metric(report(), "fib", "time"));
    write("fib/new/raw.csv", "group,function,value,sample_time_nanos,iteration_count\nfib,,,1000.0,10\n");
    EXPECT_TRUE(has_metric(report(), "fib", "time")) << "older versions measured only time";
}

TEST_F(criterion, an_impossible_sample_is_refused) {
    for (const auto& [sample, reason] : {std::pair{R"({"iters": [0.0], "times": [7.0]})", "not a number"},
                                         {R"({"iters": [1.0], "times": [null]})", "not a number"},
                                         {R"({"iters": [1.0], "times": [0.0]})", "above 0"},
                                         {R"({"iters": [1.0], "times": [-7.0]})", "above 0"},
                                         {R"({"iters": [], "times": []})", "no time"}}) {
        write_benchmark("fib/new", "fib", sample);
        EXPECT_EQ(result_in(report(), "fib").status, reports::result_status::failed) << sample;
        EXPECT_SAYS(result_in(report(), "fib").reason.value_or(""), reason);
    }
}

TEST_F(criterion, results_that_are_much_older_than_the_others_cause_a_warning) {
    write_benchmark("fib/new", "fib");
    write_benchmark("removed/new", "removed");
    EXPECT_TRUE(entry_in().head.warnings.empty());
    const auto sample = path("removed/new/sample.json");
    fs::last_write_time(sample, fs::last_write_time(sample) - std::chrono::hours{25});
    ASSERT_EQ(entry_in().head.warnings.size(), 1U);
    EXPECT_SAYS(entry_in().head.warnings[0].message, "1 of 2");
    EXPECT_SAYS(entry_in().head.warnings[0].message, "removed");
}

TEST_F(criterion, a_folder_needs_a_date) {
    write_benchmark("fib/new", "fib");
    EXPECT_SAYS(refusal({}), "--date");
}

TEST_F(criterion, a_single_file_of_several_is_refused_with_the_remedy) {
    write_benchmark("fib/new", "fib");
    for (const std::string& text :
         {std::string{linear_sample}, std::string{estimates}, content_of(path("fib/new/benchmark.json"))})
        EXPECT_SAYS(refusal_of(text, some_day), "target/criterion");
}

std::string complete_message(const std::string& id, const std::string& values, const std::string& unit) {
    return fmt::format(
        R"({{"reason":"benchmark-complete","id":"{}","report_directory":"/home/secret/target","iteration_count":[1,2],)"
        R"("measured_values":{},"unit":"{}","throughput":[],"typical":{{"estimate":5,"lower_bound":4,"upper_bound":6,)"
        R"("unit":"{}"}},"change":null}})"
        "\n",
        id, values, unit, unit);
}

TEST(cargo_criterion, each_line_about_a_complete_benchmark_has_its_samples) {
    const auto kept = only_entry_in(
        "Gnuplot not found\n" + complete_message("fib", "[10,22]", "ns") +
            R"({"reason":"group-complete","group_name":"fib","benchmarks":["fib"],"report_directory":"x"})"
            "\n" +
            complete_message("parse", "[1.5,3.0]", "us") +
            R"({"reason":"a-later-message"})"
            "\n\n",
        some_day);
    EXPECT_EQ(kept.source, bench::report_source::criterion);
    const auto report = report_in_entry(kept);
    EXPECT_EQ(result_in(report, "fib").samples, (sample_list{10.0, 11.0}));
    EXPECT_EQ(result_in(report, "parse").samples, (sample_list{1500.0, 1500.0}));
    EXPECT_EQ(report.results.size(), 2U);
    EXPECT_EQ(kept.report.find("secret"), std::string::npos);
}

TEST(cargo_criterion, a_measurement_of_something_else_than_time_keeps_its_unit) {
    const auto report =
        report_in_entry(only_entry_in(complete_message("fib", "[10,22]", "cycles"), some_day));
    EXPECT_EQ(result_in(report, "fib", "value").unit, "cycles");
}

TEST(cargo_criterion, the_error_for_a_cut_line_names_the_line) {
    const auto whole = complete_message("fib", "[10,22]", "ns");
    EXPECT_SAYS(refusal_of(whole + "\n" + whole.substr(0, 90), some_day), "line 3");
    EXPECT_SAYS(refusal_of(complete_message("fib", "[10]", "ns"), some_day), "measured_values");
}

TEST(cargo_criterion, output_without_a_complete_benchmark_is_refused) {
    EXPECT_SAYS(
        refusal_of(R"({"reason":"group-complete","group_name":"fib","benchmarks":[],"report_directory":"x"})",
                   some_day),
        "no benchmark");
}

}  // namespace

}  // namespace loopbench::tests
