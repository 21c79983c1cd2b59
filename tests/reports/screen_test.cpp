// Tests the screen of a report. With any names, no line is wider than 100 columns, and no control characters
// reach the terminal.
#include "reports/render/terminal/screen.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "reports/render/columns.hpp"
#include "reports/render/terminal/fixed_width.hpp"
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

/// Returns the cells of the line that begins with `name`.
std::vector<std::string> row_of(const std::string& screen, const std::string& name) {
    for (const auto& line : lines_of(screen)) {
        if (!line.starts_with(name + " ")) continue;
        std::istringstream in{line.substr(name.size())};
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
    EXPECT_EQ(row_of(text, "loop-epoll"), (row{"6.96", "0.88?"}));
    EXPECT_EQ(row_of(text, "same"), (row{"1.00=", "0.79"}));
    EXPECT_EQ(row_of(text, "(floor)"), (row{"-", "2.37"})) << text;
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
    EXPECT_EQ(text.find("above 1"), std::string::npos) << text;
}

TEST(screen, if_a_floor_is_the_baseline_the_title_explains_the_ratios) {
    auto report = report_with({measured_as("yield", "floor-epoll", "time", 10),
                               judged_as("yield", "loop-epoll", "time", 20, {"", 0.5, 0.4, 0.6}, slower)});
    report.baseline = "floor-epoll";
    const auto text = reports::draw_screen(report);
    EXPECT_EQ(row_of(text, "loop-epoll"), (std::vector<std::string>{"0.50"})) << text;
    EXPECT_NE(text.find("time per operation of floor-epoll; the others as ratios to it (above 1"),
              std::string::npos)
        << text;
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
    EXPECT_EQ(row_of(reports::draw_screen(report), "(floor)"), (std::vector<std::string>{"300", "2.0ms"}));
}

TEST(screen, the_screen_shows_lateness_and_cpu_time_of_timers_and_wake_ups_of_idle_workloads) {
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
    auto text = reports::draw_screen(report);
    EXPECT_EQ(row_of(text, "loop-epoll"), (std::vector<std::string>{"66µs", "104µs", "38µs"})) << text;
    text.erase(0, text.find("\nidle/timer: "));
    EXPECT_EQ(row_of(text, "loop-epoll"), (std::vector<std::string>{"40", "0.24%"})) << text;
    EXPECT_EQ(text.find("1.00ms"), std::string::npos) << "the time of timer/periodic is fixed and not shown";
}

TEST(screen, colours_are_drawn_only_if_they_are_enabled_and_do_not_change_the_text) {
    const auto report = two_workloads();
    const auto plain = reports::draw_screen(report),
               painted = reports::draw_screen(report, reports::colours::on);
    EXPECT_EQ(plain.find('\x1b'), std::string::npos);
    EXPECT_NE(painted.find("\x1b[32m6.96"), std::string::npos) << painted;
    EXPECT_EQ(std::regex_replace(painted, std::regex{"\x1b\\[[0-9;]*m"}, ""), plain);
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
    EXPECT_GE(count_of("conns:56", reports::draw_screen(report)), 1U) << "no workload is left out";
}

TEST(screen, the_screen_of_an_empty_report_has_no_table) {
    expect_a_screen(reports::report{});
}

TEST(screen, the_shortest_warnings_are_shown_and_the_other_warnings_are_counted) {
    auto report = two_workloads();
    EXPECT_TRUE(reports::warning_lines(report).empty());
    for (const std::size_t words : {300U, 1U, 40U, 2U, 60U, 3U})
        report.warnings.push_back({"code", std::string(words * 5, 'w'), "remedy"});
    const auto lines = reports::warning_lines(report);
    ASSERT_LE(lines.size(), 5U);
    EXPECT_LT(lines[0].size(), lines[1].size());
    EXPECT_TRUE(lines.back().ends_with("more warnings")) << lines.back();
    report.warnings.resize(1);
    EXPECT_EQ(reports::warning_lines(report).size(), 2U) << "a long warning is cut, not left out";
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
