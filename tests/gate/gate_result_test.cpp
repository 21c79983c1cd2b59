// Tests the first line that each gate prints.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "bench/harness/gate/gate_result_formats.hpp"
#include "bench/harness/gate/judgement.hpp"
#include "tests/support/measured.hpp"
#include "tests/support/says.hpp"

namespace loopbench::tests {

namespace {

using reports::verdict;

reports::result compared(const char* workload, double ratio, double low, double high, verdict found) {
    auto item = judged_as(workload, "build-b/bench", "time", 100, {"", ratio, low, high}, found);
    item.to_baseline->to = "build-a/bench";
    return item;
}

reports::report comparison(std::vector<reports::result> items) {
    auto report = report_with({});
    report.baseline = "build-a/bench";
    for (const auto& item : items) {
        report.results.push_back(measured_as(item.workload.c_str(), "build-a/bench", "time", 100));
        report.results.push_back(item);
    }
    return report;
}

reports::report slower_comparison() {
    auto undecided = compared("BM_concat", 0.99, 0.93, 1.04, verdict::inconclusive);
    undecided.detectable_pct = 5.68;
    return comparison({undecided, compared("BM_sort", 1 / 1.022, 1 / 1.028, 1 / 1.016, verdict::slower)});
}

constexpr auto slower_line =
    "SLOWER: BM_sort by 2.2 % (1.6 to 2.8). BM_concat: undecided (smallest detectable difference 5.7 %).";

// An older version began with the sentence that no program is certainly faster than base.
TEST(gate_result, the_verdict_begins_with_the_most_severe_result) {
    EXPECT_EQ(bench::verdict_line(bench::judge_gate(slower_comparison(), 5)), slower_line);
}

TEST(gate_result, every_format_contains_the_same_verdict) {
    const auto found = bench::judge_gate(slower_comparison(), 5);
    EXPECT_TRUE(bench::write_text(found, bench::verdict_line(found)).starts_with(slower_line));
    EXPECT_EQ(nlohmann::json::parse(bench::write_json(found, bench::verdict_line(found)))["verdict"],
              slower_line);
    EXPECT_TRUE(bench::write_markdown(found, bench::verdict_line(found))
                    .starts_with("**SLOWER: BM\\_sort by 2.2 % (1.6 to 2.8). "));
    EXPECT_SAYS(bench::write_junit(found, bench::verdict_line(found)),
                fmt::format("<system-out>{}</system-out>", slower_line));
    EXPECT_TRUE(bench::write_github(found, bench::verdict_line(found))
                    .starts_with("::notice title=loopbench::SLOWER: BM_sort by 2.2 %25 (1.6 to 2.8). "));
}

TEST(gate_result, the_verdict_begins_with_a_different_word_for_each_outcome) {
    const auto word = [](reports::report report) {
        const auto line = bench::verdict_line(bench::judge_gate(report, 5));
        return line.substr(0, line.find(':'));
    };
    const auto equal = compared("a", 1, 0.99, 1.01, verdict::equivalent);
    const auto slower = compared("b", 0.9, 0.89, 0.91, verdict::slower);
    const auto failed = missing_as("c", "build-b/bench", reports::result_status::failed, "killed by SIGSEGV");
    EXPECT_EQ(word(comparison({equal})), "PASS");
    EXPECT_EQ(word(comparison({equal, slower})), "SLOWER");
    EXPECT_EQ(word(comparison({slower, failed})), "FAILED");
    EXPECT_EQ(word(comparison({compared("a", 1, 0.9, 1.1, verdict::inconclusive)})), "UNDECIDED");
    EXPECT_EQ(word(comparison({missing_as("a", "build-b/bench", reports::result_status::not_run, "late")})),
              "UNDECIDED");
    auto noisy = comparison({slower});
    noisy.aa->found = reports::reliability::unreliable;
    noisy.aa->reason = "the A/A copy differs";
    EXPECT_EQ(word(noisy), "UNRELIABLE");
    EXPECT_EQ(bench::verdict_line(bench::judge_gate(comparison({slower, failed}), 5)),
              "FAILED: c (killed by SIGSEGV). b: slower by 11.1 % (9.9 to 12.4).");
}

TEST(gate_result, a_sentence_about_the_session_begins_with_a_capital_letter) {
    auto report = comparison({compared("a", 1, 0.9, 1.1, verdict::inconclusive)});
    report.aa->found = reports::reliability::unknown;
    report.aa->reason = "too few blocks";
    report.plan = reports::planned{.size = "full"};
    const auto line = bench::verdict_line(bench::judge_gate(report, 5));
    EXPECT_TRUE(line.starts_with("UNDECIDED: a (too few blocks). The reliability")) << line;
}

TEST(gate_result, the_five_most_severe_results_come_first_and_the_others_are_counted) {
    std::vector<reports::result> items;
    for (const auto* name : {"u1", "u2", "u3"})
        items.push_back(compared(name, 1, 0.9, 1.1, verdict::inconclusive));
    const auto names = std::to_array<const char*>({"s1", "s2", "s3", "s4", "s5", "s6"});
    for (std::size_t i = 0; i < names.size(); ++i) {
        const double ratio = 0.9 - 0.05 * static_cast<double>(i);
        items.push_back(compared(names[i], ratio, ratio - 0.01, ratio + 0.01, verdict::slower));
    }
    const auto found = bench::judge_gate(comparison(items), 5);
    const auto line = bench::verdict_line(found);
    EXPECT_TRUE(line.starts_with("SLOWER: s6 by 53.8 % (")) << line;
    EXPECT_TRUE(line.ends_with(" 4 more: 1 worse, 3 undecided.")) << line;
    EXPECT_EQ(line.find("s1"), std::string::npos) << line;
}

TEST(gate_result, the_verdict_names_contenders_and_metrics_only_if_they_differ) {
    auto other = compared("yield", 0.9, 0.89, 0.91, verdict::slower);
    other.contender = "libuv";
    auto report = comparison({compared("yield", 1, 0.99, 1.01, verdict::equivalent)});
    report.results.push_back(other);
    EXPECT_SAYS(bench::verdict_line(bench::judge_gate(report, 5)), "SLOWER: libuv on yield by 11.1 %");
    std::vector<bench::gate_result> counts{{"yield", "loop", "syscalls", bench::gate_result_kind::regression,
                                            1, 2, "because", "2, expected 1", 2}};
    EXPECT_EQ(bench::verdict_line(counts), "SLOWER: syscalls on yield: 2, expected 1.");
}

// An older version wrote "worse by 317693.3 %".
TEST(gate_result, large_differences_are_printed_as_factors_with_an_interval) {
    const auto found = bench::judge_gate(
        comparison({compared("timer", 1 / 3178., 1 / 3200., 1 / 3150., verdict::slower)}), 5);
    EXPECT_EQ(bench::verdict_line(found), "SLOWER: timer: 3,178 times as slow (3,150 to 3,200).");
    auto unknown = compared("timer", 0.0003, 0.0001, 1.5, verdict::inconclusive);
    unknown.detectable_pct = 110;
    const auto undecided = bench::judge_gate(comparison({unknown}), 5);
    EXPECT_EQ(bench::verdict_line(undecided),
              "UNDECIDED: timer (smallest detectable difference a factor of 2.1).");
    EXPECT_SAYS(undecided[0].message, "0.00030× the speed of build-a/bench (0.00010× to 1.500×)");
}

// An older version wrote one annotation for each result.
TEST(gate_result, github_shows_the_ten_worst_results_and_counts_the_others) {
    std::vector<bench::gate_result> all(13,
                                        {"w", "c", "time", bench::gate_result_kind::unclear, {}, {}, "text"});
    all.back().kind = bench::gate_result_kind::regression;
    const auto text = bench::write_github(all, bench::verdict_line(all));
    EXPECT_EQ(std::ranges::count(text, '\n'), 12);
    EXPECT_LT(text.find("::error"), text.find("::warning"));
    EXPECT_SAYS(text, "::notice title=loopbench::3 more ");
    EXPECT_SAYS(bench::write_markdown(all, bench::verdict_line(all)), "<summary>3 more results</summary>");
}

TEST(gate_result, ci_formats_of_a_comparison_contain_its_gate_results) {
    auto report = slower_comparison();
    const auto& junit = *reports::find_format("junit");
    EXPECT_SAYS(bench::write_report(junit, report), "failures=\"0\"");
    bench::add_gate(report, 5);
    EXPECT_EQ(report.gate->outcome, "regression");
    EXPECT_SAYS(bench::write_report(junit, report), "failures=\"1\" errors=\"0\" skipped=\"1\"");
    EXPECT_SAYS(bench::write_report(*reports::find_format("github"), report),
                "::error title=time of build-b/bench");
    EXPECT_TRUE(bench::write_report(*reports::find_format("markdown"), report).starts_with("**SLOWER: "));
}

}  // namespace

}  // namespace loopbench::tests
