// Tests the report on the terminal: no line is wider than 80 columns, and no control characters reach the
// terminal.
#include "reports/render/terminal/screen.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "reports/render/columns.hpp"
#include "reports/render/formats/markdown.hpp"
#include "reports/render/terminal/fixed_width.hpp"
#include "reports/render/terminal/screen_rows.hpp"
#include "reports/render/terminal/text_table.hpp"
#include "reports/render/trust.hpp"
#include "tests/support/measured.hpp"
#include "tests/support/sample_report.hpp"

namespace loopbench::tests {

namespace {

using reports::result_status;
using enum reports::verdict;

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream in{text};
    std::vector<std::string> all;
    for (std::string line; std::getline(in, line);) all.push_back(line);
    return all;
}

void expect_a_screen(const reports::report& report) {
    auto lines = lines_of(reports::draw_screen(report));
    for (auto& line : reports::warning_lines(report)) lines.push_back(line);
    for (const auto& line : lines) {
        EXPECT_LE(reports::width_of(line), reports::screen_columns) << line;
        EXPECT_EQ(reports::printable(line), line);
    }
}

std::size_t count_of(std::string_view what, std::string_view in) {
    std::size_t count = 0;
    for (auto at = in.find(what); at != std::string_view::npos; at = in.find(what, at + 1)) ++count;
    return count;
}

std::vector<std::string> row_of(const std::string& screen, const std::string& name) {
    for (const auto& line : lines_of(screen)) {
        const auto label = line.substr(std::min(line.find_first_not_of(' '), line.size()));
        if (!label.starts_with(name + " ")) continue;
        std::istringstream in{label.substr(name.size())};
        return {std::istream_iterator<std::string>{in}, {}};
    }
    return {};
}

reports::report two_workloads() {
    return report_with({measured_as("yield", "asio-epoll", "time", 46.5),
                        judged_as("yield", "loop-epoll", "time", 6.64, {"", 6.96, 6.7, 7.1}, faster),
                        judged_as("yield", "same", "time", 46.6, {"", 1.0, 0.999, 1.001}, equivalent),
                        missing_as("yield", "loop-tick", result_status::unsupported, "it takes many turns"),
                        measured_as("spawn", "asio-epoll", "time", 237),
                        judged_as("spawn", "loop-epoll", "time", 270, {"", 0.88, 0.8, 1.2}, inconclusive),
                        judged_as("spawn", "same", "time", 300, {"", 0.79, 0.78, 0.8}, slower),
                        missing_as("spawn", "loop-tick", result_status::unsupported, "it takes many turns"),
                        judged_as("spawn", "floor-epoll", "time", 100, {"", 2.37, 2.3, 2.4}, faster)});
}

TEST(screen, a_ratio_that_is_not_significant_has_a_mark) {
    const auto text = reports::draw_screen(two_workloads());
    using row = std::vector<std::string>;
    EXPECT_EQ(row_of(text, "asio-epoll"), (row{"46.5ns", "237ns"}));
    EXPECT_EQ(row_of(text, "loop-epoll"), (row{"6.96×", "0.88×?"}));
    EXPECT_EQ(row_of(text, "same"), (row{"1.00×=", "0.79×"}));
    EXPECT_EQ(row_of(text, "no loop (floor)"), (row{"-", "2.37×"})) << text;
    auto without_verdicts = two_workloads();
    for (auto& item : without_verdicts.results) item.judged.reset();
    EXPECT_EQ(row_of(reports::draw_screen(without_verdicts), "loop-epoll"), (row{"6.96×?", "0.88×?"}));
}

TEST(screen, the_reason_for_several_missing_results_appears_once_and_failures_come_first) {
    auto report = two_workloads();
    EXPECT_EQ(count_of("it takes many turns", reports::draw_screen(report)), 1U);
    report.results.push_back(missing_as("post", "loop-tick", result_status::failed, "killed by SIGSEGV"));
    report.results.push_back(measured_as("post", "asio-epoll", "time", 10));
    const auto text = reports::draw_screen(report);
    const auto failure = text.find("- loop-tick: failed: killed by SIGSEGV");
    EXPECT_LT(failure, text.find("it takes many turns")) << text;
    EXPECT_TRUE(std::ranges::count(row_of(text, "loop-tick"), "failed") == 1) << text;
}

TEST(screen, without_the_baseline_the_screen_shows_times_and_no_ratios) {
    auto report = two_workloads();
    std::erase_if(report.results, [](const auto& item) { return item.contender == "asio-epoll"; });
    for (auto& item : report.results) item.to_baseline.reset(), item.judged.reset();
    const auto text = reports::draw_screen(report);
    EXPECT_EQ(row_of(text, "loop-epoll"), (std::vector<std::string>{"6.64ns", "270ns"})) << text;
    EXPECT_EQ(text.find("as fast as"), std::string::npos) << text;
}

TEST(screen, if_a_floor_is_the_baseline_the_title_explains_the_ratios) {
    auto report = report_with({measured_as("yield", "floor-epoll", "time", 10),
                               judged_as("yield", "loop-epoll", "time", 20, {"", 0.5, 0.4, 0.6}, slower)});
    report.baseline = "floor-epoll";
    const auto text = reports::draw_screen(report);
    EXPECT_EQ(row_of(text, "loop-epoll"), (std::vector<std::string>{"0.50×"})) << text;
    EXPECT_NE(text.find("× as fast as floor-epoll"), std::string::npos) << text;
}

TEST(screen, the_best_floor_has_the_largest_value_if_larger_is_better) {
    auto report = report_with({});
    report.contenders.push_back(reports::describe("floor-uring", {{"role", "floor"}}));
    const auto add = [&](const char* who, double capacity, double latency) {
        report.results.push_back(measured_as("serve", who, "capacity", capacity));
        report.results.back().better = reports::direction::larger;
        report.results.push_back(measured_as("serve", who, "latency_p99", latency));
    };
    add("asio-epoll", 100, 5e6);
    add("floor-epoll", 200, 3e6);
    add("floor-uring", 300, 2e6);
    report.workloads = {{"serve", {"capacity", "latency_p99"}}};
    EXPECT_EQ(row_of(reports::draw_screen(report), "no loop (floor)"),
              (std::vector<std::string>{"300", "2.0ms"}));
}

TEST(screen, timers_show_lateness_and_cpu_and_idle_workloads_show_cpu) {
    auto report = report_with({});
    for (const auto* who : {"asio-epoll", "loop-epoll"}) {
        const double times = who[0] == 'a' ? 1 : 2;
        report.results.push_back(measured_as("timer/periodic", who, "late_p50", 33e3 * times));
        report.results.push_back(measured_as("timer/periodic", who, "late_p99", 52e3 * times));
        report.results.push_back(measured_as("timer/periodic", who, "cpu", 19e3 * times));
        report.results.push_back(measured_as("timer/periodic", who, "time", 1e6));
        report.results.push_back(measured_as("idle/timer", who, "wakeups", 20 * times));
        report.results.push_back(measured_as("idle/timer", who, "spin", 0.0012 * times));
    }
    const auto text = reports::draw_screen(report);
    EXPECT_EQ(row_of(text, "loop-epoll"), (std::vector<std::string>{"66µs", "38µs"})) << text;
    EXPECT_NE(text.find("IDLE    no contender burns a core; the highest CPU share is 0.24 % (loop-epoll)"),
              std::string::npos)
        << text;
    EXPECT_EQ(text.find("1.00ms"), std::string::npos) << "the time of timer/periodic is fixed and not shown";
}

TEST(screen, colours_never_change_the_text_and_appear_only_if_enabled) {
    const auto report = two_workloads();
    const auto plain = reports::draw_screen(report),
               painted = reports::draw_screen(report, reports::colours::on);
    EXPECT_EQ(plain.find('\x1b'), std::string::npos);
    EXPECT_NE(painted.find("\x1b[32m6.96×"), std::string::npos) << painted;
    auto without_colour = std::regex_replace(painted, std::regex{"\x1b\\[[0-9;]*m"}, "");
    const std::string meaning_of_colours = "; better; worse";
    const auto at = without_colour.find(meaning_of_colours);
    ASSERT_NE(at, std::string::npos) << without_colour;
    EXPECT_EQ(without_colour.erase(at, meaning_of_colours.size()), plain);
}

TEST(screen, hostile_names_neither_widen_the_screen_nor_control_the_terminal) {
    expect_a_screen(sample_report());
    const std::vector<std::string> hostile{
        std::string(10'000, 'x'),  "</script>\x1b[2J\r\n\"'=cmd()",
        "\u202egnorw\u2066\u200f", "漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字",
        "e\u0301e\u0301",          "\xff\xfe\xc3",
        "a/b:c/d:e//::/"};
    for (const auto& name : hostile) {
        auto report = two_workloads();
        for (auto& item : report.results) {
            if (item.contender == "loop-epoll") item.contender = name;
            if (item.workload == "spawn") item.workload = "spawn/" + name;
            if (item.reason) item.reason = name;
        }
        report.results.push_back(missing_as("post", "mine", result_status::failed, name + " " + name));
        report.warnings = {{"code", name, name}};
        expect_a_screen(report);
        report.baseline = name;
        expect_a_screen(report);
    }
}

TEST(screen, a_report_with_many_contenders_and_workloads_fits_the_width_of_the_screen) {
    auto report = report_with({});
    for (int workload = 0; workload < 57; ++workload)
        for (int contender = 0; contender < 22; ++contender) {
            const auto on = fmt::format("echo/rtt/tcp/conns:{}/bytes:16384", workload);
            const auto who = contender == 0 ? "asio-epoll" : fmt::format("contender-number-{}", contender);
            report.results.push_back(contender == 0 ? measured_as(on.c_str(), who.c_str(), "time", 1e5)
                                                    : judged_as(on.c_str(), who.c_str(), "time", 1e5,
                                                                {"", 1.1, 1.0, 1.2}, inconclusive));
        }
    expect_a_screen(report);
    EXPECT_EQ(count_of("45 more workloads", reports::draw_screen(report)), 1U);
}

TEST(screen, the_screen_of_an_empty_report_has_no_table) {
    expect_a_screen(reports::report{});
}

TEST(screen, at_most_two_lines_of_warnings_are_shown_and_the_others_are_counted) {
    auto report = two_workloads();
    EXPECT_TRUE(reports::warning_lines(report).empty());
    for (const std::size_t words : {300U, 1U, 40U, 2U, 60U, 3U})
        report.warnings.push_back({"code", std::string(words * 5, 'w'), "remedy"});
    const auto lines = reports::warning_lines(report);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines.back(), "5 more warnings");
    report.warnings.resize(1);
    EXPECT_EQ(reports::warning_lines(report).size(), 2U) << "a long warning is cut, not left out";
    report.warnings = {{"few_blocks", "", ""}, {"faster_than_floor", "", "ignore the floor"}};
    EXPECT_TRUE(reports::warning_lines(report).empty())
        << "TRUST names the first; the second needs no action";
}

bool shows(const reports::report& report, std::string_view text) {
    return reports::draw_screen(report).find(text) != std::string::npos;
}

TEST(screen, the_screen_begins_with_failures_the_fastest_contender_and_the_trust) {
    auto report = two_workloads();
    auto lines = lines_of(reports::draw_screen(report));
    EXPECT_EQ(lines[0].find("FASTEST scheduling: loop-epoll 6.96× as fast as asio-epoll, partly level"), 0U)
        << lines[0];
    EXPECT_TRUE(shows(report, "\nTRUST   RELIABLE: ")) << reports::draw_screen(report);
    report.results.push_back(missing_as("post", "mine", result_status::failed, "killed"));
    lines = lines_of(reports::draw_screen(report));
    EXPECT_EQ(lines[0], "FAILED  mine on post.") << "failures come even before the fastest";
    EXPECT_EQ(count_of("- mine: failed: killed", reports::draw_screen(report)), 1U);
    report.results.push_back(measured_as("echo/conns:1", "asio-epoll", "time", 1));
    report.results.push_back(measured_as("echo/conns:1", "asio-epoll", "cpu", 1));
    report.workloads = {{"echo/conns:1", {"time", "cpu"}}};
    EXPECT_EQ(count_of("- mine: failed: killed", reports::draw_screen(report)), 1U) << "post has no table";
}

TEST(screen, an_unreliable_or_incomplete_session_names_no_fastest_contender_and_marks_every_ratio) {
    auto unreliable = two_workloads(), incomplete = two_workloads();
    unreliable.aa->found = reports::reliability::unreliable;
    incomplete.complete = false;
    for (const auto& report : {unreliable, incomplete}) {
        const auto text = reports::draw_screen(report);
        EXPECT_FALSE(shows(report, "FASTEST")) << text;
        EXPECT_EQ(row_of(text, "loop-epoll"), (std::vector<std::string>{"6.96×?", "0.88×?"})) << text;
        EXPECT_EQ(reports::draw_screen(report, reports::colours::on).find("\x1b[32m"), std::string::npos);
    }
    EXPECT_TRUE(shows(unreliable, "TRUST   UNRELIABLE: "));
    EXPECT_TRUE(shows(incomplete, "TRUST   PRELIMINARY: ")) << reports::draw_screen(incomplete);
}

TEST(screen, the_trust_line_states_why_a_run_is_preliminary) {
    auto report = two_workloads();
    report.warnings = {{"few_blocks", "some verdicts need more blocks", "use --blocks 13 or more"}};
    EXPECT_TRUE(shows(report, "PRELIMINARY: some verdicts need more blocks; use --blocks 13 or more"));
    EXPECT_TRUE(shows(report, "SO FAR  scheduling: loop-epoll")) << reports::draw_screen(report);
    EXPECT_FALSE(shows(report, "FASTEST"));
    report.warnings = {{"budget", "only 4 of 13 blocks fit", "use a longer --budget"}};
    EXPECT_TRUE(shows(report, "RELIABLE")) << "four blocks can be enough for every verdict";
    report.warnings.clear();
    report.aa->found = reports::reliability::unknown;
    report.aa->reason = "too short";
    EXPECT_TRUE(shows(report, "PRELIMINARY: too short"));
    report.aa.reset();
    EXPECT_TRUE(shows(report, "PRELIMINARY: the noise is unknown"));
}

TEST(screen, a_short_run_gets_one_reason_and_one_remedy) {
    auto report = two_workloads();
    report.aa->found = reports::reliability::unknown;
    report.aa->reason = "the A/A comparison has too few blocks";
    report.warnings = {{"few_blocks", "some verdicts need more blocks", "use --blocks 12 or more"},
                       {"budget", "only 4 of 13 blocks fit", "use a longer --budget"}};
    const auto reasons = reports::trust_in(report).reasons;
    EXPECT_EQ(reasons, std::vector<std::string>{"only 4 of 13 blocks fit; use a longer --budget"});
    report.complete = false;
    report.warnings.push_back({"interrupted", "interrupted after 4 blocks", "use --resume"});
    EXPECT_EQ(reports::trust_in(report).reasons,
              std::vector<std::string>{"interrupted after 4 blocks; use --resume"});
    EXPECT_TRUE(reports::warning_lines(report).empty()) << "TRUST contains them";
}

TEST(screen, ratios_without_an_interval_are_not_shown) {
    auto report = two_workloads();
    for (auto& item : report.results)
        if (item.to_baseline)
            item.to_baseline->low = item.to_baseline->high = std::nullopt, item.judged = inconclusive;
    const auto text = reports::draw_screen(report);
    EXPECT_EQ(row_of(text, "loop-epoll"), (std::vector<std::string>{"6.64ns?", "270ns?"})) << text;
    EXPECT_FALSE(shows(report, "FASTEST"));
}

reports::report with_drivers(const char* workload) {
    auto report = report_with({measured_as(workload, "asio-epoll", "time", 100),
                               judged_as(workload, "loop-a", "time", 50, {"", 2.0, 1.9, 2.1}, faster),
                               judged_as(workload, "loop-b", "time", 52, {"", 1.9, 1.8, 2.0}, faster),
                               judged_as(workload, "loop-uring", "time", 40, {"", 2.5, 2.4, 2.6}, faster)});
    report.contenders = {reports::describe("asio-epoll", {{"driver", "epoll"}}),
                         reports::describe("loop-a", {{"driver", "select"}}),
                         reports::describe("loop-b", {{"driver", "select"}}),
                         reports::describe("loop-uring", {{"driver", "io_uring"}})};
    report.results.back().to_epoll = reports::driver_ratio{"asio-epoll", 2.4, 2.3, 2.5, inconclusive};
    return report;
}

TEST(screen, similar_select_loops_share_a_row_and_the_row_of_two_drivers_shows_their_paired_ratio) {
    auto report = with_drivers("echo/conns:1");
    const auto text = reports::draw_screen(report);
    using row = std::vector<std::string>;
    EXPECT_EQ(row_of(text, "select loops"), (row{"1.90-2.00×"})) << text;
    EXPECT_EQ(row_of(text, "loop-uring/asio-epoll"), (row{"2.40×?"})) << text;
    EXPECT_NE(text.find("select loops: loop-a, -b"), std::string::npos) << text;
    report.results[2].median = 90;
    EXPECT_EQ(row_of(reports::draw_screen(report), "loop-b"), (row{"1.90×"})) << "no longer similar";
}

TEST(screen, the_row_of_two_drivers_names_no_contenders_if_they_differ_between_workloads) {
    auto report = with_drivers("echo/conns:1");
    auto second = with_drivers("echo/conns:9");
    second.results.back().to_epoll->to = "asio-tuned";
    report.results.insert(report.results.end(), second.results.begin(), second.results.end());
    EXPECT_EQ(row_of(reports::draw_screen(report), "io_uring/epoll"),
              (std::vector<std::string>{"2.40×?", "2.40×?"}))
        << reports::draw_screen(report);
}

TEST(screen, only_unambiguous_names_are_shortened) {
    EXPECT_EQ(reports::short_list({"loop-a", "loop-b", "asio-on-b", "asio-b", "asio-c"}),
              "loop-a, -b, asio-on-b, asio-b, -c");
}

TEST(screen, timers_that_cannot_be_told_apart_share_a_row) {
    auto report = report_with({});
    const auto add = [&](const char* who, double late, reports::ratio to, reports::verdict found) {
        report.results.push_back(judged_as("sleep/serial", who, "late_p50", late, to, found));
        report.results.push_back(
            judged_as("sleep/serial", who, "cpu", 2 * late, {"", 0.8, 0.5, 1.1}, inconclusive));
    };
    report.results.push_back(measured_as("sleep/serial", "asio-epoll", "late_p50", 42e3));
    report.results.push_back(measured_as("sleep/serial", "asio-epoll", "cpu", 62e3));
    add("asio-tuned", 41e3, {"", 1.02, 0.99, 1.05}, inconclusive);
    add("loop-uring", 40e3, {"", 1.03, 1.001, 1.06}, inconclusive);
    add("loop-late", 80e3, {"", 0.5, 0.49, 0.51}, slower);
    add("loop-hungry", 41e3, {"", 1.02, 0.99, 1.05}, inconclusive);
    auto& cpu = report.results.back();
    cpu = judged_as("sleep/serial", "loop-hungry", "cpu", 12e6, {"", 0.005, 0.004, 0.006}, slower);
    const auto text = reports::draw_screen(report);
    using row = std::vector<std::string>;
    EXPECT_EQ(row_of(text, "asio-epoll"), (row{"42µs", "62µs"})) << text;
    EXPECT_EQ(row_of(text, "asio-tuned, loop-uring"), (row{"40-41µs?", "80-82µs?"})) << text;
    EXPECT_EQ(row_of(text, "loop-late"), (row{"80µs", "160µs?"})) << text;
    EXPECT_EQ(row_of(text, "loop-hungry"), (row{"41µs?", "12ms"}))
        << "equally late, but burns a core: " << text;
}

TEST(screen, the_legend_names_the_version_of_the_baselines_library_once) {
    auto report = with_drivers("echo/conns:1");
    EXPECT_EQ(count_of("Boost ", reports::draw_screen(report)), 0U) << "unknown";
    for (auto& who : report.contenders) {
        who.library = "Boost.Asio";
        who.version = who.name == "asio-epoll" ? "1.92" : "1.81";
    }
    const auto text = reports::draw_screen(report);
    EXPECT_EQ(count_of("asio-epoll: Boost 1.92", text), 1U) << text;
    EXPECT_EQ(count_of("Boost ", text), 1U) << text;
}

TEST(screen, the_legend_names_the_contenders_that_a_label_only_counts) {
    auto report = report_with({});
    report.results.push_back(measured_as("sleep/serial", "asio-epoll", "late_p50", 40e3));
    for (const auto* who : {"mine", "theirs-in-rust", "another-in-go", "a-fourth"})
        report.results.push_back(
            judged_as("sleep/serial", who, "late_p50", 40e3, {"", 1.02, 0.99, 1.05}, inconclusive));
    const auto text = reports::draw_screen(report);
    EXPECT_EQ(row_of(text, "mine and 3 more"), std::vector<std::string>{"40µs?"}) << text;
    EXPECT_NE(text.find("3 more: theirs-in-rust, another-in-go, a-fourth"), std::string::npos) << text;
}

TEST(columns, a_comparison_shows_the_environment_in_which_a_program_ran) {
    auto report = report_with({measured_as("yield", "old", "time", 10)});
    report.contenders = {
        reports::describe("old", {{"program", "./old"}, {"environment", "LOOPBENCH_ASIO=io_uring"}})};
    EXPECT_EQ(count_of("old = ./old (LOOPBENCH_ASIO=io_uring)", reports::write_table(report)), 1U);
}

TEST(columns, a_ratio_that_contradicts_the_medians_is_explained) {
    auto report =
        report_with({measured_as("yield", "asio-epoll", "time", 7850),
                     judged_as("yield", "loop-epoll", "time", 8240, {"", 1.04, 1.02, 1.06}, faster)});
    for (const auto& text : {reports::write_table(report), reports::write_markdown(report)}) {
        EXPECT_EQ(count_of("1.04†", text), 1U) << text;
        EXPECT_EQ(count_of("median of the ratios within blocks", text), 1U) << text;
    }
    report.results[1].median = 7500;
    EXPECT_EQ(count_of("†", reports::write_table(report)), 0U);
}

TEST(columns, wakeups_that_the_workload_causes_are_not_attributed_to_the_loop) {
    auto report = report_with({});
    for (const auto* who : {"asio-epoll", "floor-epoll", "busy"}) {
        report.results.push_back(measured_as("idle/timer", who, "spin", 1.00002));
        report.results.push_back(measured_as("idle/timer", who, "wakeups", who[0] == 'b' ? 120 : 20));
    }
    const auto text = reports::write_table(report);
    EXPECT_EQ(count_of("20 (its own timer)", text), 2U) << text;
    EXPECT_EQ(count_of(" 120\n", text), 1U) << text;
    EXPECT_GE(count_of("100 %", text), 3U) << text;
    EXPECT_EQ(count_of("100.0", text), 0U) << text;
}

TEST(columns, differences_are_shown_without_exponents_or_huge_percentages) {
    const auto item =
        judged_as("idle/timer", "loop-epoll", "spin", 1, {"", 0.000315, 0.0000314, 0.00032}, slower);
    const auto text = reports::comparison_text(item);
    EXPECT_NE(text.find("0.00032 [0.000031, 0.00032]: slower"), std::string::npos) << text;
}

TEST(columns, a_floor_is_not_shown_as_a_multiple_of_another_floor) {
    auto report = report_with({judged_as("yield", "floor-epoll", "time", 10, {"", 2, 1.9, 2.1}, faster)});
    report.results[0].times_floor = reports::floor_multiple{"floor-uring", 0.98, 0.9, 1.1};
    EXPECT_EQ(count_of("0.98", reports::write_table(report)), 0U) << reports::write_table(report);
}

TEST(width, the_width_of_a_text_is_its_number_of_terminal_columns) {
    EXPECT_EQ(reports::width_of("µs"), 2U);
    EXPECT_EQ(reports::width_of("漢"), 2U);
    EXPECT_EQ(reports::width_of("e\u0301"), 1U);
    EXPECT_EQ(reports::width_of("\xff"), 1U);
    EXPECT_EQ(reports::clipped("漢字漢字", 7), "漢字...");
    EXPECT_EQ(reports::clipped("漢字", 4), "漢字");
}

TEST(width, lines_are_broken_at_spaces_if_possible) {
    using lines = std::vector<std::string>;
    EXPECT_EQ(reports::wrapped("one two three", 7), (lines{"one two", "three"}));
    EXPECT_EQ(reports::wrapped("one two three", 7, "  "), (lines{"one two", "  three"}));
    EXPECT_EQ(reports::wrapped("onetwothree", 5), (lines{"onetw", "othre", "e"}));
    EXPECT_EQ(reports::wrapped("", 5), lines{});
    EXPECT_EQ(reports::wrapped("漢字漢", 1), (lines{"漢", "字", "漢"}))
        << "each character is wider than the line";
}

TEST(numbers, numbers_that_round_to_zero_have_no_sign) {
    EXPECT_EQ(reports::three_digits(-0.001), "0.00");
    EXPECT_EQ(reports::three_digits(-0.0), "0.00");
    EXPECT_EQ(reports::three_digits(-0.01), "-0.01");
    EXPECT_EQ(reports::human_time(-0.001), "0.00 ns");
}

}  // namespace

}  // namespace loopbench::tests
