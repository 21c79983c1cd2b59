// Tests the output of each writer against a golden file. Other programs read these formats, so every change
// of the output must be intentional.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "bench/harness/trial/gbench_json.hpp"
#include "reports/model/json.hpp"
#include "reports/render/columns.hpp"
#include "reports/render/formats/csv.hpp"
#include "reports/render/formats/formats.hpp"
#include "reports/render/formats/github.hpp"
#include "reports/render/formats/junit.hpp"
#include "reports/render/formats/markdown.hpp"
#include "reports/render/html/html.hpp"
#include "reports/render/terminal/text_table.hpp"
#include "tests/support/measured.hpp"
#include "tests/support/sample_report.hpp"
#include "tests/support/says.hpp"
#include "tests/support/temporary_folder.hpp"

namespace loopbench::tests {

namespace {

std::string golden(const char* name) {
    return content_of(std::filesystem::path{LOOPBENCH_GOLDEN_FOLDER} / name);
}

TEST(writers, json_equals_the_golden_file) {
    EXPECT_EQ(reports::write_json(sample_report()), golden("report.json"));
}

TEST(writers, csv_equals_the_golden_file) {
    EXPECT_EQ(reports::write_csv(sample_report()), golden("report.csv"));
}

TEST(writers, markdown_equals_the_golden_file) {
    EXPECT_EQ(reports::write_markdown(sample_report()), golden("report.md"));
}

TEST(writers, the_table_equals_the_golden_file) {
    EXPECT_EQ(reports::write_table(sample_report()), golden("table.txt"));
}

/// Returns a report of a reliable session, because the formats do not show the verdicts of an unreliable
/// session.
reports::report reliable_report() {
    auto report = sample_report();
    report.aa->found = reports::reliability::reliable;
    return report;
}

TEST(writers, formats_for_ci_systems_equal_the_golden_files) {
    EXPECT_EQ(reports::find_format("gbench")->write(sample_report()), golden("report.gbench.json"));
    EXPECT_EQ(reports::find_format("bmf")->write(sample_report()), golden("report.bmf.json"));
    EXPECT_EQ(reports::find_format("openmetrics")->write(sample_report()), golden("report.openmetrics"));
    EXPECT_EQ(reports::write_junit(reliable_report()), golden("report.junit.xml"));
    EXPECT_EQ(reports::write_github(reliable_report()), golden("report.github"));
}

TEST(writers, an_html_page_is_complete_and_escapes_the_text_of_the_report) {
    auto report = sample_report();
    report.warnings.push_back({"</script>", "<!-- & <script>", "\xff\u2028"});
    const auto page = reports::write_html(report);
    EXPECT_EQ(page.find("{{"), std::string::npos) << "a part of the page is missing";
    const std::string_view begin = "id=\"data\">", end = "</script>";
    const auto first = page.find(begin) + begin.size();
    const auto data = page.substr(first, page.find(end, first) - first);
    EXPECT_EQ(data.find_first_of("<>&"), std::string::npos);
    const auto read = nlohmann::json::parse(data);
    EXPECT_EQ(read["results"].size(), report.results.size());
    EXPECT_EQ(read["report"]["warnings"].back()["code"], "</script>");
    EXPECT_EQ(read["report"]["warnings"].back()["message"], "<!-- & <script>");
}

TEST(writers, the_curve_of_a_distribution_in_html_ends_where_fewer_than_10_samples_remain) {
    const auto report = sample_report();
    for (const auto& [count, last] : {std::pair{9, 0}, {10, 1}, {1000, 990}}) {
        reports::histogram values{"w", "c", "late", 1, 1, count, {}};
        for (std::int64_t ns = 1; ns <= count; ++ns) values.values.push_back({ns, ns, 1});
        const auto page = reports::write_html(report, std::span(&values, 1));
        const std::string_view begin = "\"curves\":[{\"values\":[";
        const auto first = page.find(begin) + begin.size();
        const auto all = nlohmann::json::parse("[" + page.substr(first, page.find(']', first) - first) + "]");
        EXPECT_EQ(all.empty() ? 0 : all.back().get<int>(), last);
    }
}

reports::report with_verdict(const char* metric, reports::verdict found) {
    auto report = reliable_report();
    for (auto& item : report.results)
        if (item.contender == "loop-tick") {
            item.metric = metric;
            item.judged = found;
            report.results.push_back(item);
            // The deadlines determine the time of this workload, so a `slower` verdict is no failure.
            report.results.back().metric = "time";
            report.results.back().judged = reports::verdict::slower;
            break;
        }
    return report;
}

// An older version reported each contender that is slower than the baseline as a failure.
TEST(writers, a_slow_contender_does_not_fail_an_ordinary_run_in_ci_systems) {
    using enum reports::verdict;
    for (const auto found : {slower, inconclusive, faster}) {
        auto report = with_verdict("late_p50", found);
        std::erase_if(report.results,
                      [](const auto& item) { return item.status == reports::result_status::failed; });
        const auto suite = reports::write_junit(report);
        EXPECT_SAYS(suite, R"(failures="0" errors="0")");
        EXPECT_SAYS(suite, "name=\"loop-tick\"><system-out>late_p50: ratio to asio-epoll 0.96");
        EXPECT_EQ(reports::write_github(report).find("::error"), std::string::npos);
    }
}

TEST(writers, an_unreliable_session_neither_fails_nor_passes_in_ci_systems) {
    auto report =
        report_with({measured_as("yield", "asio-epoll", "time", 100),
                     judged_as("yield", "a", "time", 104, {"", 0.96, 0.955, 0.965}, reports::verdict::slower),
                     missing_as("yield", "b", reports::result_status::not_run, "time was over"),
                     missing_as("yield", "c", reports::result_status::failed, "killed")});
    report.aa->found = reports::reliability::unreliable;
    report.aa->reason = "it differs from itself";
    const auto suite = reports::write_junit(report);
    EXPECT_SAYS(suite, R"(tests="4" failures="0" errors="1" skipped="3")");
    EXPECT_SAYS(suite,
                "name=\"a\"><skipped>the session is unreliable, because it differs from itself</skipped>");
    EXPECT_SAYS(suite, "name=\"b\"><skipped>time was over</skipped>");
    const auto github = reports::write_github(report);
    EXPECT_TRUE(github.starts_with("::notice title=Unreliable::")) << github;
    EXPECT_TRUE(
        github.ends_with("::error title=c on yield::killed\n::notice title=b on yield::time was over\n"))
        << github;
}

// An older version wrote 23 annotations, of which GitHub showed only ten.
TEST(writers, github_shows_ten_annotations_and_counts_the_others) {
    auto report = report_with({measured_as("yield", "asio-epoll", "time", 100)});
    for (int i = 0; i < 12; ++i)
        report.results.push_back(missing_as("yield", "a", reports::result_status::failed, "killed"));
    report.warnings.push_back({"noise", "it is loud", "be quiet"});
    const auto text = reports::write_github(report);
    std::size_t errors = 0;
    for (auto at = text.find("::error"); at != std::string::npos; at = text.find("::error", at + 1)) ++errors;
    EXPECT_EQ(errors, 10U);
    EXPECT_SAYS(text, "::notice title=loopbench::3 more ");
}

TEST(writers, markdown_leads_with_the_result_and_folds_the_rest) {
    auto report =
        report_with({measured_as("yield", "asio-epoll", "time", 100),
                     judged_as("yield", "a", "time", 50, {"", 2, 1.9, 2.1}, reports::verdict::faster)});
    const auto run = reports::write_markdown(report);
    EXPECT_TRUE(run.starts_with("**Speed:** a is 2.00× as fast")) << run;
    EXPECT_LT(run.find("| yield | 100 ns | a | 2.00× (1.90 to 2.10) |"), run.find("<details>"));
    EXPECT_EQ(run.find("###"), run.find("###", run.find("<details>"))) << "tables of families are folded";
    report.gate = reports::gate_summary{5, "pass", "PASS: 1 result, not slower."};
    EXPECT_TRUE(reports::write_markdown(report).starts_with("**PASS: 1 result, not slower.**"));
    EXPECT_TRUE(reports::write_table(report).starts_with("PASS: 1 result, not slower.\n"));
    EXPECT_EQ(reports::read_json(reports::write_json(report), "it").gate->verdict, report.gate->verdict);
}

// An older version showed "1.1e+02 %", "worse by 317693.3 %", and ratios of "0.00".
TEST(writers, tables_have_no_unreadable_numbers) {
    EXPECT_EQ(reports::pct_or_factor(5.68), "5.7 %");
    EXPECT_EQ(reports::pct_or_factor(45.6), "46 %");
    EXPECT_EQ(reports::pct_or_factor(110), "a factor of 2.1");
    EXPECT_EQ(reports::pct_or_factor(317'693.3), "a factor of 3,178");
    auto report = report_with(
        {measured_as("yield", "asio-epoll", "time", 100),
         judged_as("yield", "a", "time", 3e5, {"", 0.000315, 0.0003, 0.00033}, reports::verdict::slower)});
    EXPECT_SAYS(reports::write_table(report), "0.00032 [0.00030, 0.00033]");
}

TEST(writers, a_report_in_gbench_format_can_be_read_as_the_output_of_a_contender) {
    const auto read = bench::parse_gbench_json(reports::find_format("gbench")->write(sample_report()));
    ASSERT_FALSE(read.rows.empty());
    EXPECT_EQ(read.rows[1].name, "echo/rtt/tcp/conns:1/asio-epoll");
    EXPECT_EQ(read.rows[1].real_time_ns, 12400);
}

TEST(writers, json_replaces_invalid_utf8) {
    auto report = sample_report();
    report.baseline = "\xff\xfe";
    EXPECT_EQ(reports::read_json(reports::write_json(report), "it").baseline, "\uFFFD\uFFFD");
}

TEST(writers, json_escapes_control_characters) {
    auto report = sample_report();
    report.baseline = "\u202eé\x7f\u009b\U000e0001";
    const auto text = reports::write_json(report);
    EXPECT_SAYS(text, R"("\u202eé\u007f\u009b\udb40\udc01")");
    EXPECT_EQ(reports::read_json(text, "it").baseline, report.baseline);
}

TEST(writers, every_format_that_shows_percentiles_labels_a_maximum_that_replaces_a_percentile) {
    auto report = sample_report();
    auto few = report.results.front();
    few.metric = "late_p99";
    few.unit = "ns";
    few.median = 12'000;
    few.max_of = 30;
    report.results.push_back(few);
    for (const auto* format : {"text", "markdown"})
        EXPECT_SAYS(reports::find_format(format)->write(report), "12.0 µs (max of 30)") << format;
    EXPECT_SAYS(reports::find_format("openmetrics")->write(report), "max_of=\"30\"");
    EXPECT_SAYS(reports::find_format("json")->write(report), "\"max_of\"");
    EXPECT_SAYS(reports::write_csv(report), ",30\r\n");
    EXPECT_EQ(reports::find_format("bmf")->write(report).find("late_p99"), std::string::npos);
    EXPECT_EQ(reports::read_json(reports::write_json(report), "report").results.back().max_of, 30U);
}

TEST(writers, csv_disarms_cells_that_a_spreadsheet_would_execute) {
    auto report = sample_report();
    report.results.resize(1);
    for (const std::string start : {"=", "+", "-", "@"}) {
        report.results[0].workload = start + "1";
        EXPECT_SAYS(reports::write_csv(report), "\r\n'" + start + "1,") << start;
    }
    report.results[0].median = -1;
    EXPECT_SAYS(reports::write_csv(report), ",-1,");
}

TEST(writers, csv_quotes_commas_quotes_and_line_breaks) {
    auto report = sample_report();
    report.results.resize(1);
    report.results[0].workload = "a,\"b\"\nc";
    EXPECT_SAYS(reports::write_csv(report), "\"a,\"\"b\"\"\nc\",");
}

TEST(writers, times_are_printed_with_three_digits_and_a_suitable_unit) {
    EXPECT_EQ(reports::human_time(0), "0.00 ns");
    EXPECT_EQ(reports::human_time(1.234), "1.23 ns");
    EXPECT_EQ(reports::human_time(999.4), "999 ns");
    EXPECT_EQ(reports::human_time(999.6), "1.00 µs");
    EXPECT_EQ(reports::human_time(12345), "12.3 µs");
    EXPECT_EQ(reports::human_time(-12345), "-12.3 µs");
    EXPECT_EQ(reports::human_time(99.96e6), "100 ms");
    EXPECT_EQ(reports::human_time(1.2e9), "1.20 s");
    EXPECT_EQ(reports::human_time(1.2e12), "1200 s");
}

TEST(writers, gbench_output_states_that_a_contender_is_a_debug_build) {
    auto content = sample_report();
    const auto said = [&] {
        const auto parsed = nlohmann::json::parse(reports::find_format("gbench")->write(content));
        return parsed["context"]["library_build_type"].get<std::string>();
    };
    EXPECT_EQ(said(), "release");
    content.contenders.push_back(reports::describe("mine", {{"build_type", "Debug"}}));
    EXPECT_EQ(said(), "debug");
    content.contenders.back() = reports::describe("mine", {{"assertions", "on"}});
    EXPECT_EQ(said(), "debug");
}

TEST(writers, control_characters_never_reach_a_terminal) {
    EXPECT_EQ(reports::printable("a\x1b"
                                 "b\xc2\x9b"
                                 "c\x9b"
                                 "d\x7f\n"),
              "a?b?c?d??");
    EXPECT_EQ(reports::printable("µ ě €", "\n"), "µ ě €") << "their last bytes look like control characters";
    EXPECT_EQ(reports::printable("a\nb\r", "\n"), "a\nb?");
    EXPECT_EQ(reports::printable("\u202eab\u2066\u200f"), "?ab??")
        << "characters of text direction are control characters";
    EXPECT_EQ(reports::printable("\uFFFE\uFFFF\uFDD0\U0001FFFE\uFFFD\uFDCF"), "????\uFFFD\uFDCF")
        << "XML refuses these code points";
}

}  // namespace

}  // namespace loopbench::tests
