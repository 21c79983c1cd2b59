// Tests histograms with the real command.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>

#include "bench/harness/trial/histogram_files.hpp"
#include "reports/model/json.hpp"
#include "reports/render/formats/hgrm.hpp"
#include "tests/support/command_support.hpp"

namespace loopbench::tests {

namespace {

std::string leaves(const std::string& buckets, const std::string& max) {
    return R"sh(
printf '{"schema": "loopbench-histogram-file/1", "contender": "x", "histograms": [
  {"workload": "other", "metric": "latency", "unit": "ns", "count": 1, "min": 1, "max": 1, "mean": 1, "buckets": [[1, 1, 1]]},
  {"workload": "%s", "metric": "latency", "unit": "ns", "count": 4, "min": 1000, "max": )sh" +
           max + R"sh(, "mean": 2000, "buckets": )sh" + buckets +
           R"sh(}]}' "${workload%/real_time}" > "$LOOPBENCH_HISTOGRAM_FILE"
row '"real_time": 10'
)sh";
}

class histograms : public testing::Test {
protected:
    bench::child_outcome run(const std::vector<std::string>& more = {}) {
        std::vector<std::string> words{"run", "--workload", "yield", "--blocks", "3", "-o", loopbench.out()};
        words.insert(words.end(), more.begin(), more.end());
        return loopbench(words);
    }
    bench::child_outcome report(const std::string& file = "report.json") {
        return loopbench({"report", loopbench.out() + "/" + file, "--format", "hgrm"});
    }

    loopbench_command loopbench;
};

constexpr auto four_values = "[[5000, 5003, 1], [1000, 1000, 3]]";

TEST_F(histograms, the_histograms_of_all_trials_of_a_result_are_merged_in_the_report) {
    loopbench.add_contender("asio-epoll", leaves(four_values, "5000"));
    const auto ran = run();
    EXPECT_EQ(ran.code, 0) << ran.error_tail;
    const auto text = report().output;
    EXPECT_TRUE(text.starts_with(
        "#[Workload = yield, Contender = asio-epoll, Metric = latency, Unit = us, Trials = 3]\n"
        "       Value   Percentile   TotalCount 1/(1-Percentile)\n\n"
        "       1.000     0.000000            9         1.00\n"))
        << text;
    EXPECT_SAYS(text, "       1.000     0.700000            9         3.33\n");
    EXPECT_SAYS(text,
                "       5.000     1.000000           12          inf\n"
                "#[Mean    =        2.000, StdDeviation   =");
    EXPECT_SAYS(text, "#[Max     =        5.000, Total count    =           12]\n");
    EXPECT_EQ(text.find("other"), std::string::npos) << text;
    EXPECT_EQ(text.find("asio-epol~"), std::string::npos) << "the A/A copy is not a contender";
    EXPECT_EQ(report("journal.jsonl").output, text);
}

TEST_F(histograms, a_report_in_the_histogram_format_is_refused_if_the_run_has_no_histograms) {
    loopbench.add_contender("asio-epoll", R"(row '"real_time": 10')");
    EXPECT_EQ(run().code, 0);
    const auto written = report();
    EXPECT_EQ(written.code, 2);
    EXPECT_EQ(written.output, "");
    EXPECT_SAYS(written.error_tail, "histograms.jsonl");
}

TEST_F(histograms, an_invalid_histogram_makes_the_trial_fail) {
    for (const auto* buckets : {"[[1, 0, 3]]", "[[1, 2]]", "[[1, 2, 0]]", "7", "[[1, 2, 3]"}) {
        loopbench.add_contender("asio-epoll", leaves(buckets, "5000"));
        EXPECT_EQ(run().code, 1) << buckets;
        const auto cell = time_of(loopbench.report(), "asio-epoll");
        EXPECT_EQ(cell["status"], "failed") << buckets;
        EXPECT_SAYS(cell["reason"].get<std::string>(), "LOOPBENCH_HISTOGRAM_FILE") << cell;
    }
}

TEST_F(histograms, a_folder_in_place_of_a_histogram_file_fails_only_the_contender_that_made_the_folder) {
    loopbench.add_contender("asio-epoll", leaves(four_values, "5000"));
    loopbench.add_contender("loop-epoll",
                            "mkdir \"$LOOPBENCH_HISTOGRAM_FILE\"\n" + leaves(four_values, "5000"));
    EXPECT_EQ(run().code, 1);
    EXPECT_EQ(time_of(loopbench.report(), "asio-epoll")["status"], "ok");
    const auto cell = time_of(loopbench.report(), "loop-epoll");
    EXPECT_EQ(cell["status"], "failed");
    EXPECT_SAYS(cell["reason"].get<std::string>(), "not a regular file") << cell;
}

TEST_F(histograms, a_resumed_run_keeps_and_completes_the_histograms_of_a_killed_run) {
    loopbench.add_contender("asio-epoll",
                            "[ $(trials) -ne 4 ] || kill -9 $PPID\n" + leaves(four_values, "5000"));
    EXPECT_EQ(run().end, bench::child_end::signalled);
    loopbench.in_shell("printf '{\"block\": 1, \"attempt' >> $out/histograms.jsonl");
    EXPECT_SAYS(report("journal.jsonl").output, "Trials = ");
    const auto went_on = loopbench.in_shell("exec $loopbench run --resume $out");
    EXPECT_EQ(went_on.code, 0) << went_on.error_tail;
    EXPECT_SAYS(report().output, "Trials = 3]");
}

TEST_F(histograms, a_new_run_removes_the_histograms_of_the_previous_run) {
    loopbench.add_contender("asio-epoll", leaves(four_values, "5000"));
    EXPECT_EQ(run().code, 0);
    loopbench.add_contender("asio-epoll", R"(row '"real_time": 10')");
    EXPECT_EQ(run().code, 0);
    EXPECT_EQ(report().output, "");
}

TEST_F(histograms, a_report_that_was_moved_away_from_its_histograms_is_refused) {
    loopbench.add_contender("asio-epoll", leaves(four_values, "5000"));
    EXPECT_EQ(run().code, 0);
    const auto moved = loopbench.in_shell(
        "mkdir $folder/away; mv $out/report.json $folder/away; "
        "exec $loopbench report $folder/away/report.json --format hgrm");
    EXPECT_EQ(moved.code, 2);
    EXPECT_SAYS(moved.error_tail, "away/histograms.jsonl");
}

TEST_F(histograms, histograms_of_another_run_are_refused_in_a_report_and_omitted_from_an_html_page) {
    loopbench.add_contender("asio-epoll", leaves(four_values, "5000"));
    EXPECT_EQ(run({"--seed", "1"}).code, 0);
    loopbench.in_shell("cp $out/report.json $folder/first.json");
    EXPECT_EQ(run({"--seed", "2"}).code, 0);
    loopbench.in_shell("cp $folder/first.json $out/report.json");
    const auto refused = report();
    EXPECT_EQ(refused.code, 2);
    for (const auto* name : {"out/report.json", "out/journal.jsonl"}) EXPECT_SAYS(refused.error_tail, name);
    const auto page = loopbench({"report", loopbench.out() + "/report.json", "--format", "html"});
    EXPECT_EQ(page.code, 0);
    EXPECT_SAYS(page.error_tail, "report.html has no histograms");
    EXPECT_SAYS(page.output, "\"curves\":[]");
}

// Users can choose the seed, so two different runs can have the same seed.
TEST_F(histograms, histograms_of_another_run_with_the_same_seed_are_refused) {
    loopbench.add_contender("asio-epoll", leaves(four_values, "5000"));
    EXPECT_EQ(run({"--seed", "7"}).code, 0);
    EXPECT_EQ(report().code, 0);
    loopbench.in_shell("cp $out/report.json $folder/kept.json");
    for (const std::string change : {R"(s/"date": "[^"]*"/"date": "2001-01-01T00:00:00Z"/)",
                                     R"(s/"name": "asio-epoll"/"name": "loop-epoll"/)"}) {
        const auto changed = loopbench.in_shell("sed '" + change +
                                                "' $folder/kept.json > $out/report.json; "
                                                "cmp -s $folder/kept.json $out/report.json");
        EXPECT_EQ(changed.code, 1) << change;
        const auto refused = report();
        EXPECT_EQ(refused.code, 2) << change;
        EXPECT_SAYS(refused.error_tail, "different runs");
    }
}

// A trial whose line is missing in the journal is repeated on resume, and only the repetition counts.
TEST_F(histograms, the_histogram_of_a_trial_that_is_missing_in_the_journal_is_not_counted) {
    loopbench.add_contender(
        "loop-epoll",
        "[ $(trials) -ne 2 ] || [ -e $0.full ] || "
        "{ touch $0.full; prlimit --pid $PPID --fsize=$(stat -c %s $out/journal.jsonl); }\n" +
            leaves(four_values, "5000"));
    const auto full = loopbench.in_shell("exec $loopbench run --workload yield --blocks 3 -o $out");
    EXPECT_EQ(full.code, 1) << full.error_tail;
    EXPECT_SAYS(full.error_tail, "journal.jsonl");
    EXPECT_EQ(loopbench.in_shell("exec $loopbench run --resume $out").code, 0);
    EXPECT_SAYS(report().output, "Trials = 3]");
}

TEST_F(histograms, histograms_are_read_without_loading_the_whole_file) {
    loopbench.add_contender("asio-epoll", leaves(four_values, "5000"));
    EXPECT_EQ(run().code, 0);
    EXPECT_EQ(content_of(loopbench.path("out/report.html")).find("\"curves\":[]"), std::string::npos);
    const auto few = report();
    constexpr std::int64_t lines = 64, line_bytes = 1'000'000;
    {
        // The file is written in pieces, because one large text would need memory in this process. The
        // measured peak memory of a child includes that of its parent, which is this process
        // (resource_usage::rss_max_bytes).
        const auto line =
            R"({"block":0,"attempt":9,"workload":"yield","contender":"asio-epoll","histograms":[])" +
            std::string(line_bytes, ' ') + "}\n";
        std::ofstream file(loopbench.path("out/histograms.jsonl"), std::ios::app);
        for (std::int64_t i = 0; i < lines; ++i) file << line;
    }
    const auto many = report();
    EXPECT_EQ(many.output, few.output) << many.error_tail;
    EXPECT_LT(many.usage.rss_max_bytes - few.usage.rss_max_bytes, lines * line_bytes / 2);
}

TEST_F(histograms, damaged_histograms_are_refused_with_the_line_number_and_omitted_from_an_html_page) {
    loopbench.add_contender("asio-epoll", leaves(four_values, "5000"));
    EXPECT_EQ(run().code, 0);
    const auto whole = loopbench({"report", loopbench.out() + "/report.json", "--format", "html"});
    EXPECT_EQ(whole.output.find("\"curves\":[]"), std::string::npos);
    EXPECT_EQ(whole.error_tail, "");
    loopbench.in_shell("sed -i '2s/.*/{/' $out/histograms.jsonl");
    const auto refused = report();
    EXPECT_NE(refused.code, 0);
    for (const auto* part : {"histograms.jsonl", "line 2:"}) EXPECT_SAYS(refused.error_tail, part);
    loopbench.in_shell("echo x > $out/journal.jsonl");
    const auto page = loopbench({"report", loopbench.out() + "/report.json", "--format", "html"});
    EXPECT_EQ(page.code, 0);
    EXPECT_SAYS(page.error_tail, "report.html has no histograms");
}

TEST(histogram_file, reading_a_histogram_file_returns_only_the_histograms_of_the_requested_workload) {
    const temporary_folder folder;
    EXPECT_EQ(bench::read_histogram_file(folder / "side.json", "yield"), "");
    reports::write_file_atomically(
        folder / "side.json",
        R"({"schema": "loopbench-histogram-file/1", "histograms": [{"workload": "yield", "metric": "late", "unit": "ns",
            "count": 1, "min": -5, "max": -5, "mean": -5.5, "buckets": [[-5, -5, 1]]}]})");
    EXPECT_EQ(bench::read_histogram_file(folder / "side.json", "yield"),
              R"({"workload":"yield","metric":"late","unit":"ns","count":1,"min":-5,"max":-5,"mean":-5.5,)"
              R"("buckets":[[-5,-5,1]]})");
    EXPECT_EQ(bench::read_histogram_file(folder / "side.json", "echo"), "");
    std::filesystem::create_symlink(folder / "side.json", folder / "link.json");
    EXPECT_THROW(bench::read_histogram_file(folder / "link.json", "yield"), reports::format_error);
}

TEST(histogram_file, histograms_that_exceed_the_maximum_line_length_of_histograms_jsonl_are_refused) {
    const temporary_folder folder;
    const std::string bucket = "[1000000000000,1000000000000,1]";
    std::string buckets = bucket;
    while (buckets.size() <= bench::histograms_bytes_max) buckets += "," + bucket;
    reports::write_file_atomically(
        folder / "side.json",
        R"({"schema":"loopbench-histogram-file/1","histograms":[{"workload":"yield","metric":"late","unit":"ns",)"
        R"("count":1,"min":0,"max":0,"mean":0,"buckets":[)" +
            buckets + "]}]}");
    EXPECT_THROW(bench::read_histogram_file(folder / "side.json", "yield"), reports::format_error);
    EXPECT_EQ(bench::read_histogram_file(folder / "side.json", "echo"), "");
}

TEST(hgrm, the_output_contains_the_percentiles_that_the_histogram_plotter_expects) {
    reports::histogram values{"w", "c", "late", 1, 50.5 * 1000, 100'000, {}};
    for (std::int64_t us = 1; us <= 100; ++us) values.values.push_back({us * 1000, us * 1000, 1});
    const auto text = reports::write_hgrm(std::span(&values, 1));
    for (const auto* row : {"      10.000     0.100000           10         1.11\n",
                            "      50.000     0.500000           50         2.00\n",
                            "      75.000     0.750000           75         4.00\n",
                            "     100.000     1.000000          100          inf\n"})
        EXPECT_SAYS(text, row);
    EXPECT_SAYS(text, "#[Mean    =       50.500, StdDeviation   =       28.866]");
}

TEST(hgrm, the_percentile_output_ends_when_a_double_cannot_represent_the_next_percentile) {
    constexpr std::uint64_t most = std::uint64_t{1} << 62U;
    const reports::histogram hostile{"w", "c", "late", 1, 1, 2, {{1, 1, most}, {2, 2, 1}}};
    const auto text = reports::write_hgrm(std::span(&hostile, 1));
    EXPECT_LT(std::ranges::count(text, '\n'), 300);
    EXPECT_SAYS(text, " 1.000000 4611686018427387905          inf\n");
}

}  // namespace

}  // namespace loopbench::tests
