// Tests the verdicts for given intervals.
#include "bench/harness/statistics/verdict.hpp"

#include <gtest/gtest.h>

#include "bench/harness/statistics/sign_test.hpp"

namespace loopbench::tests {

namespace {

using bench::judge_all;
using bench::verdict_rule;
using reports::verdict;
using log_ratios = std::vector<double>;

log_ratios around(double middle, std::size_t count, double step = 0.0001) {
    log_ratios all;
    for (std::size_t i = 0; i < count; ++i)
        all.push_back(middle + step * (static_cast<double>(i) - static_cast<double>(count - 1) / 2));
    return all;
}

verdict judged(const log_ratios& one) {
    return judge_all(std::vector<log_ratios>{one}, {})[0].verdict;
}

TEST(verdict, a_verdict_of_faster_or_slower_needs_an_interval_beyond_the_threshold) {
    EXPECT_EQ(judged(around(0.05, 7)), verdict::faster);
    EXPECT_EQ(judged(around(-0.05, 7)), verdict::slower);
    EXPECT_EQ(judged(around(0, 7)), verdict::equivalent);
    EXPECT_EQ(judged(around(0.009, 7)), verdict::equivalent) << "0.9 % is below the threshold";
    EXPECT_EQ(judged(around(0.01, 7, 0.01)), verdict::inconclusive) << "on both sides of the threshold";
    EXPECT_EQ(judged(around(0, 7, 0.01)), verdict::inconclusive) << "from -3 to 3 %";
}

TEST(verdict, a_verdict_of_equivalent_needs_an_interval_within_the_threshold_on_both_sides) {
    const auto zone = [](double low, double high) {
        return bench::zone_of({.median = (low + high) / 2, .low = low, .high = high}, 0.01);
    };
    EXPECT_EQ(zone(-0.009, 0.009), verdict::equivalent);
    EXPECT_EQ(zone(-0.06, 0.009), verdict::inconclusive);
    EXPECT_EQ(zone(-0.009, 0.06), verdict::inconclusive);
}

TEST(verdict, a_significant_verdict_needs_six_blocks) {
    EXPECT_EQ(judged(around(1, 5)), verdict::inconclusive);
    EXPECT_EQ(judged(around(1, 6)), verdict::faster);
    EXPECT_EQ(bench::fewest_pairs(0.05), 6U);
    EXPECT_EQ(bench::fewest_pairs(0.05 / 40), 11U);
}

TEST(verdict, a_significant_verdict_among_40_comparisons_needs_more_than_eight_blocks) {
    std::vector<log_ratios> comparisons(40, around(0, 8, 0.01));
    comparisons[3] = around(0.5, 8);
    EXPECT_EQ(judge_all(comparisons, {})[3].verdict, verdict::inconclusive) << "8 pairs among 40 comparisons";
    comparisons[3] = around(0.5, 11);
    EXPECT_EQ(judge_all(comparisons, {})[3].verdict, verdict::faster);
}

TEST(verdict, seven_blocks_make_40_differences_significant_in_a_report_but_not_in_a_gate) {
    const std::vector<log_ratios> comparisons(40, around(-0.5, 7));
    verdict_rule rule;
    EXPECT_EQ(judge_all(comparisons, rule)[0].verdict, verdict::slower);
    rule.how = bench::correction::holm;
    EXPECT_EQ(judge_all(comparisons, rule)[0].verdict, verdict::inconclusive);
}

TEST(verdict, only_equivalent_or_inconclusive_results_state_the_smallest_detectable_difference) {
    const auto found = judge_all(
        std::vector<log_ratios>{around(0, 20), around(0.5, 20), around(0, 5), around(0, 20, 0.01)}, {});
    EXPECT_EQ(found[0].verdict, verdict::equivalent);
    EXPECT_NEAR(*found[0].detectable_pct, 1, 0.1) << "hardly more than the threshold";
    EXPECT_EQ(found[1].verdict, verdict::faster);
    EXPECT_FALSE(found[1].detectable_pct);
    EXPECT_EQ(found[2].verdict, verdict::inconclusive);
    EXPECT_FALSE(found[2].detectable_pct) << "five blocks can show no difference of any size";
    EXPECT_EQ(found[3].verdict, verdict::inconclusive);
    EXPECT_GT(*found[3].detectable_pct, 5);
}

TEST(verdict, an_empty_list_of_comparisons_gives_no_verdicts) {
    EXPECT_TRUE(judge_all(std::vector<log_ratios>{}, {}).empty());
}

TEST(verdict, more_spread_or_fewer_blocks_raise_the_smallest_detectable_difference) {
    const auto seen = [](std::size_t count, double step) {
        return bench::detectable_pct({around(0, count, step)}, 0.01, 0.05).value();
    };
    EXPECT_LT(seen(20, 0.001), seen(20, 0.002));
    EXPECT_GT(seen(10, 0.002), seen(20, 0.001)) << "the same range";
}

}  // namespace

}  // namespace loopbench::tests
