// Tests the table that `loopbench compare` prints: its words are those of the verdict.
#include "bench/harness/gate/comparison_table.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/gate/gate_result_formats.hpp"
#include "bench/harness/gate/judgement.hpp"
#include "reports/model/metrics.hpp"
#include "tests/support/says.hpp"

namespace loopbench::tests {

namespace {

using reports::verdict;

struct one_comparison {
    std::string workload;
    double ratio;
    std::optional<double> low, high;
    verdict judged;
    std::optional<double> layout_pct = {};
    std::string metric = "time";
    std::optional<double> value = {};  // of the new build, instead of the one that follows from the ratio
};

reports::result with(const one_comparison& one, const std::string& contender, double value) {
    auto item = reports::result_of(one.workload, contender, *reports::find_metric(one.metric));
    item.median = value;
    item.samples.assign(20, value);
    return item;
}

reports::report report_of(
    const std::vector<one_comparison>& all, reports::reliability found = reports::reliability::reliable,
    const std::function<void(reports::report&)>& change = [](auto&) {}) {
    reports::report report;
    report.baseline = "old";
    for (const auto* name : {"old", "new"}) report.contenders.emplace_back().name = name;
    report.aa = reports::self_check{.contender = "old",
                                    .aa_copy = "ol~",
                                    .found = found,
                                    .reason = "planted",
                                    .spread_pct = {},
                                    .comparisons = {}};
    report.plan = reports::planned{.size = "full", .blocks = 20};
    for (const auto& one : all) {
        report.results.push_back(with(one, "old", 1000));
        auto& item = report.results.emplace_back(with(one, "new", one.value.value_or(1000 / one.ratio)));
        item.to_baseline = reports::ratio{"old", one.ratio, one.low, one.high};
        item.judged = one.judged;
        item.layout_pct = one.layout_pct;
        if (one.judged == verdict::inconclusive) item.detectable_pct = 9;
    }
    change(report);
    report.judged_by = {.correction = "holm", .threshold_pct = 1, .comparisons = all.size()};
    bench::add_gate(report, 5);
    EXPECT_TRUE(bench::compares_two_builds(report));
    return report;
}

std::string table_of(
    const std::vector<one_comparison>& all, reports::reliability found = reports::reliability::reliable,
    const std::function<void(reports::report&)>& change = [](auto&) {}) {
    return bench::write_comparison(report_of(all, found, change));
}

std::string row(const std::string& table, std::string_view name) {
    const auto from = table.find("\n" + std::string{name} + " ");
    return from == std::string::npos ? "no row"
                                     : table.substr(from + 1, table.find('\n', from + 1) - from - 1);
}

TEST(comparison_table, each_row_says_what_the_verdict_says) {
    const auto table = table_of({{"equal", 1, 0.99, 1.01, verdict::equivalent},
                                 {"slow", 1 / 1.1, 1 / 1.12, 1 / 1.08, verdict::slower},
                                 {"fast", 1.3, 1.28, 1.32, verdict::faster},
                                 {"open", 1 / 1.01, 1 / 1.06, 1.03, verdict::inconclusive},
                                 {"bounded", 1 / 1.01, 1 / 1.04, 1.03, verdict::inconclusive},
                                 {"few", 1, {}, {}, verdict::inconclusive}});
    EXPECT_TRUE(table.starts_with("SLOWER: slow by 10.0 % (8.0 to 12.0).")) << table;
    EXPECT_SAYS(row(table, "slow"), "slower by 10.0 % (8.0 to 12.0)");
    EXPECT_SAYS(row(table, "slow"), "1.00 µs  1.10 µs");
    EXPECT_SAYS(row(table, "fast"), "faster by 30.0 % (28.0 to 32.0)");
    EXPECT_SAYS(row(table, "open"), "undecided: 3.0 % faster to 6.0 % slower");
    EXPECT_SAYS(row(table, "bounded"), "at most 4.0 % slower");
    EXPECT_SAYS(row(table, "few"), "undecided: too few blocks");
    EXPECT_SAYS(row(table, "equal"), "equal within 1 %");
    EXPECT_LT(table.find("\nslow "), table.find("\nopen "));
    EXPECT_LT(table.find("\nopen "), table.find("\nequal ")) << "the most severe first";
    EXPECT_SAYS(table, "--blocks");
}

TEST(comparison_table, the_markdown_of_a_comparison_has_the_words_of_the_table) {
    const auto report = report_of({{"bounded", 1 / 1.01, 1 / 1.04, 1.03, verdict::inconclusive},
                                   {"slow", 1 / 1.1, 1 / 1.12, 1 / 1.08, verdict::slower}});
    const auto text = bench::write_report(*reports::find_format("markdown"), report);
    const auto front = text.substr(0, text.find("<details>"));
    EXPECT_SAYS(front, "| bounded |");
    EXPECT_SAYS(front, "at most 4.0 % slower");
    EXPECT_SAYS(front, "slower by 10.0 % (8.0 to 12.0)");
    EXPECT_EQ(front.find("inconclusive"), std::string::npos) << front;
}

TEST(comparison_table, metrics_and_layouts_have_a_column_only_if_there_are_any) {
    const auto plain = table_of({{"equal", 1, 0.99, 1.01, verdict::equivalent}});
    EXPECT_EQ(plain.find("metric"), std::string::npos) << plain;
    EXPECT_EQ(plain.find("ayouts"), std::string::npos) << plain;
    EXPECT_EQ(plain.find("--blocks"), std::string::npos) << "everything is decided: " << plain;
    const auto more = table_of({{"sort", 1, 0.8, 1.2, verdict::inconclusive, 18.7},
                                {"idle/one", 0.5, 0.4, 0.6, verdict::slower, {}, "spin"}});
    EXPECT_SAYS(row(more, "sort"), "18.7 %");
    EXPECT_SAYS(row(more, "idle/one"), "spin");
    EXPECT_SAYS(more, "link more of them");
}

TEST(comparison_table, large_factors_bytes_and_contradictions_are_readable) {
    const auto table = table_of({{"wild", 1, 1 / 95.0, 39, verdict::inconclusive},
                                 {"memory", 0.5, 0.4, 0.6, verdict::slower, {}, "rss_peak"},
                                 {"odd", 1.1, 1.08, 1.12, verdict::faster, {}, "time", 1300}});
    EXPECT_SAYS(row(table, "wild"), "39.0 times as fast to 95.0 times as slow");
    EXPECT_SAYS(row(table, "memory"), "1.00 kB  2.00 kB");
    EXPECT_SAYS(row(table, "odd"), "†");
    EXPECT_SAYS(table, "† The values point the other way");
    EXPECT_EQ(row(table, "wild").find("†"), std::string::npos);
}

TEST(comparison_table, an_unreliable_session_has_rows_without_verdicts) {
    const auto table =
        table_of({{"sort", 0.9, 0.88, 0.92, verdict::slower}}, reports::reliability::unreliable);
    EXPECT_TRUE(table.starts_with("UNRELIABLE")) << table;
    EXPECT_SAYS(row(table, "sort"), "no verdict: ");
    EXPECT_EQ(row(table, "sort").find("slower by"), std::string::npos);
}

TEST(comparison_table, a_benchmark_that_fails_in_the_old_build_says_so_in_its_row) {
    const auto table = table_of({{"sort", 1, 0.99, 1.01, verdict::equivalent}},
                                reports::reliability::reliable, [](reports::report& report) {
                                    auto item =
                                        reports::result_of("broken", "old", *reports::find_metric("time"));
                                    item.status = reports::result_status::failed;
                                    item.reason = std::string(200, 'x') + "no such device";
                                    report.results.insert(report.results.begin(), item);
                                });
    EXPECT_TRUE(table.starts_with("FAILED")) << table;
    EXPECT_SAYS(row(table, "broken"), "old: failed");
    EXPECT_SAYS(row(table, "broken"), "no such device");
    EXPECT_SAYS(row(table, "benchmark"), "old      new  new is");
}

TEST(comparison_table, a_name_cannot_control_the_terminal) {
    const auto table = table_of({{"bell\a\x1b[31m", 1, 0.99, 1.01, verdict::equivalent}});
    EXPECT_EQ(table.find('\x1b'), std::string::npos);
    EXPECT_EQ(table.find('\a'), std::string::npos);
}

}  // namespace

}  // namespace loopbench::tests
