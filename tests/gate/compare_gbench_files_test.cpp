// Tests `loopbench compare` on two files with the JSON output of Google Benchmark programs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reports/model/json.hpp"
#include "tests/support/command_support.hpp"
#include "tests/support/sample_report.hpp"
#include "tests/support/schema_check.hpp"

namespace loopbench::tests {

namespace {

class gbench_files : public testing::Test {
protected:
    std::string file(const char* name, const std::string& rows, const char* program = "./bench") const {
        const auto path = loopbench.path(name).native();
        reports::write_file_atomically(
            path, fmt::format(R"({{"context":{{"date":"2026-02-01T10:00:00+00:00","executable":"{}",)"
                              R"("num_cpus":4,"caches":[]}},"benchmarks":[{}]}})",
                              program, rows));
        return path;
    }

    bench::child_outcome compare(const std::string& old_rows, const std::string& new_rows,
                                 const char* format = "text") const {
        return loopbench(
            {"compare", file("old.json", old_rows), file("new.json", new_rows), "--format", format});
    }

    nlohmann::json compared(const std::string& old_rows, const std::string& new_rows) const {
        return nlohmann::json::parse(compare(old_rows, new_rows, "json").output);
    }

    static nlohmann::json result(const nlohmann::json& report, const char* benchmark,
                                 const char* metric = "time") {
        for (const auto& item : report["results"])
            if (item["workload"] == benchmark && item["metric"] == metric) return item;
        return nullptr;
    }

    loopbench_command loopbench;
};

std::string row(const std::string& name, double time, const std::string& more = "") {
    return fmt::format(
        R"({{"name":"{0}","run_name":"{0}","run_type":"iteration","iterations":9,"real_time":{1},)"
        R"("cpu_time":{2},"time_unit":"us"{3}}})",
        name, time, time / 2, more);
}

/// Returns ten repetitions that differ by up to one per cent.
std::string repeated(const std::string& name, double time, const std::string& more = "") {
    std::string all;
    for (int i = 0; i < 10; ++i)
        all += (i > 0 ? "," : "") + row(name, time * (1 + 0.001 * (i * 7 % 10)),
                                        fmt::format(R"(,"repetition_index":{}{})", i, more));
    return all;
}

TEST_F(gbench_files, repetitions_are_samples_and_a_slower_benchmark_fails_the_gate) {
    const auto ran = compare(repeated("sort", 100) + "," + repeated("copy", 10),
                             repeated("sort", 400) + "," + repeated("copy", 10), "json");
    EXPECT_EQ(ran.code, 3) << ran.error_tail;
    EXPECT_SAYS(ran.error_tail, "SLOWER: sort");
    const auto report = nlohmann::json::parse(ran.output);
    EXPECT_TRUE(fits_the_schema(report));
    EXPECT_EQ(result(report, "sort")["samples"].size(), 10U);
    EXPECT_NEAR(result(report, "sort")["ratio"]["median"].get<double>(), 0.25, 0.001);
    EXPECT_EQ(result(report, "sort")["verdict"], "slower");
    EXPECT_NEAR(result(report, "sort", "cpu")["ratio"]["median"].get<double>(), 0.25, 0.001);
    EXPECT_EQ(result(report, "copy")["verdict"], "equivalent");
}

TEST_F(gbench_files, a_single_value_gives_a_ratio_without_a_verdict_and_the_remedy) {
    const auto ran = compare(row("sort", 100), row("sort", 400), "json");
    EXPECT_EQ(ran.code, 4) << ran.error_tail;
    EXPECT_SAYS(ran.error_tail, "--benchmark_repetitions");
    EXPECT_SAYS(ran.error_tail, "too few repetitions");
    EXPECT_FALSE(says(ran.error_tail, "--blocks")) << ran.error_tail;
    const auto sort = result(nlohmann::json::parse(ran.output), "sort");
    EXPECT_DOUBLE_EQ(sort["ratio"]["median"].get<double>(), 0.25);
    EXPECT_EQ(sort["ratio"]["low"], nullptr);
    EXPECT_EQ(sort["verdict"], "inconclusive");
}

/// Returns ten repetitions between `time` and twice that time.
std::string noisy(const std::string& name, double time) {
    std::string all;
    for (int i = 0; i < 10; ++i) all += (i > 0 ? "," : "") + row(name, time * (1 + 0.1 * (i * 7 % 10)));
    return all;
}

TEST_F(gbench_files, noisy_repetitions_have_a_remedy_that_files_can_use) {
    const auto ran = compare(noisy("sort", 100), noisy("sort", 104), "json");
    EXPECT_EQ(ran.code, 4) << ran.error_tail;
    const auto both = nlohmann::json::parse(ran.output).dump() + ran.error_tail;
    EXPECT_FALSE(says(both, "--blocks")) << both;
    EXPECT_FALSE(says(both, "--benchmark_repetitions=20")) << "the files have repetitions";
}

TEST_F(gbench_files, a_benchmark_that_only_one_file_has_is_a_skipped_test_in_junit) {
    const auto same = repeated("sort", 100), path = loopbench.path("both.json").native();
    const auto ran = compare(same + "," + row("removed", 1), same + "," + row("added", 1), "json");
    reports::write_file_atomically(path, ran.output);
    EXPECT_TRUE(fits_the_schema(nlohmann::json::parse(ran.output)));
    const auto suite = loopbench({"report", path, "--format", "junit"}).output;
    for (const auto* part : {"classname=\"removed\"", "classname=\"added\"", "skipped=\"2\""})
        EXPECT_SAYS(suite, part);
}

TEST_F(gbench_files, the_files_of_two_programs_with_different_names_are_compared) {
    const auto ran = loopbench({"compare", file("a.json", repeated("sort", 100), "/build-a/bench_old"),
                                file("b.json", repeated("sort", 400), R"(C:\\build-b\\bench_new.exe)")});
    EXPECT_EQ(ran.code, 3) << ran.output << ran.error_tail;
}

TEST_F(gbench_files, a_benchmark_that_only_one_file_has_is_listed_and_decides_nothing) {
    const auto same = repeated("sort", 100);
    const auto ran = compare(same + "," + row("removed", 1), same + "," + row("added", 1));
    EXPECT_EQ(ran.code, 0) << ran.output << ran.error_tail;
    for (const auto* part : {"only in", "old.json: removed", "new.json: added"})
        EXPECT_SAYS(ran.output, part);
    const auto none = compare(row("before", 1), row("after", 1));
    EXPECT_EQ(none.code, 2);
    EXPECT_SAYS(none.error_tail, "no benchmark with the same name");
}

/// Pairs of files whose benchmark `x` has no ratio, with the exit code and a telling word.
struct missing_case {
    const char* what;
    std::string old_rows, new_rows;
    int code;
    const char* said;
};

TEST_F(gbench_files, a_benchmark_without_a_usable_time_has_a_reason_and_an_exit_code) {
    const std::string error = R"({"name":"x","error_occurred":true,"error_message":"no such device"})",
                      skipped = R"({"name":"x","skipped":true,"skip_message":"no AVX"})",
                      only_cv =
                          R"({"name":"x_cv","run_name":"x","run_type":"aggregate","aggregate_name":"cv",)"
                          R"("real_time":0.1,"cpu_time":0.1,"time_unit":"us"})";
    for (const auto& [what, old_rows, new_rows, code, said] : std::vector<missing_case>{
             {"failed in the new file", row("x", 1), error, 1, "no such device"},
             {"skipped in the new file", row("x", 1), skipped, 4, "no AVX"},
             {"one failed repetition (google/benchmark#2206)", row("x", 1), error + "," + row("x", 1), 1,
              "device"},
             {"time of zero", row("x", 1), row("x", 0), 1, "above 0"},
             {"negative time (google/benchmark#96)", row("x", 1), row("x", -1), 1, "above 0"},
             {"aggregates without a mean", row("x", 1), only_cv, 4, "without a mean"}}) {
        const auto ok = "," + repeated("ok", 5);
        const auto ran = compare(old_rows + ok, new_rows + ok);
        EXPECT_EQ(ran.code, code) << what << ran.output << ran.error_tail;
        EXPECT_SAYS(ran.output + ran.error_tail, said) << what;
    }
}

TEST_F(gbench_files, equal_names_are_compared_by_their_order_only_if_both_files_have_the_same_number) {
    const auto push = [](int family, double time) {
        return repeated("push", time,
                        fmt::format(R"(,"family_index":{},"per_family_instance_index":0)", family));
    };
    const auto both = compared(push(0, 10) + "," + push(1, 500), push(0, 10) + "," + push(1, 2000));
    EXPECT_EQ(result(both, "push/#1/2")["verdict"], "equivalent");
    EXPECT_EQ(result(both, "push/#2/2")["verdict"], "slower");
    const auto more =
        compare(push(0, 10) + "," + push(1, 500) + "," + repeated("pop", 1),
                push(0, 10) + "," + push(1, 10) + "," + push(2, 500) + "," + repeated("pop", 1));
    EXPECT_EQ(more.code, 0) << more.output;
    EXPECT_SAYS(more.output, "only in");
}

TEST_F(gbench_files, a_counter_with_the_name_of_a_metric_does_not_hide_a_slowdown) {
    for (const auto* counter : {"capacity", "late_p50", "latency_p99", "spin", "throughput"}) {
        const auto more = fmt::format(R"(,"{}":64)", counter);
        EXPECT_EQ(compare(repeated("idle/x", 10, more), repeated("idle/x", 40, more)).code, 3) << counter;
    }
}

TEST_F(gbench_files, a_file_without_a_context_or_date_is_compared_and_shown) {
    const auto bare = loopbench.path("bare.json").native();
    reports::write_file_atomically(bare, R"({"benchmarks":[)" + repeated("sort", 100) + "]}");
    const auto ran = loopbench({"compare", bare, bare});
    EXPECT_EQ(ran.code, 0) << ran.error_tail;
    EXPECT_FALSE(says(ran.error_tail, "--date")) << "compare has no such option: " << ran.error_tail;
    for (const auto* format : {"json", "text", "html", "markdown", "csv", "gbench", "junit"})
        EXPECT_EQ(loopbench({"report", bare, "--format", format}).code, 0) << format;
}

TEST_F(gbench_files, output_of_google_benchmark_is_not_compared_with_a_report_of_loopbench) {
    const auto own = loopbench.path("own.json").native();
    reports::write_file_atomically(own, reports::write_json(sample_report()));
    const auto ran = loopbench({"compare", file("theirs.json", row("sort", 1)), own});
    EXPECT_EQ(ran.code, 2);
    for (const auto* part : {"theirs.json", "own.json", "one kind"}) EXPECT_SAYS(ran.error_tail, part);
}

TEST_F(gbench_files, a_file_of_another_kind_is_named_with_the_remedy) {
    const auto other = loopbench.path("other").native();
    using namespace std::string_literals;
    const auto output = R"({"context":{},"benchmarks":[]})"s;
    for (const auto& [bytes, said] : std::vector<std::pair<std::string, const char*>>{
             {"", "is empty"},  // ZigRazor/CXXGraph#173
             {"{\0\"\0}\0"s, "UTF-16LE"},
             {"---\nBenchmark      Time     CPU   Iterations\n---\nsort  1 ns  1 ns  9\n", "console output"},
             {"Hello\n" + output, "--benchmark_out"},   // arborx/ArborX#207
             {output + "\n" + output, "its own file"},  // google/benchmark#1648
             {"name,iterations,real_time,cpu_time,time_unit\n\"sort\",9,1,1,ns\n", "--benchmark_format=json"},
             {"[{\"name\":\"sort\"}]", "array"},
             {"\xEF\xBB\xBF{\"benchmarks\":[]}", "byte order mark"},
             {"\xFD\x37zXZ", "xz -dc"}}) {
        reports::write_file_atomically(other, bytes);
        const auto ran = loopbench({"compare", other, other});
        EXPECT_EQ(ran.code, 2) << said;
        EXPECT_SAYS(ran.error_tail, said);
    }
}

}  // namespace

}  // namespace loopbench::tests
