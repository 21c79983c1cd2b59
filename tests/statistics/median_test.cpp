// Tests medians and intervals against values that are known in closed form.
#include "bench/harness/statistics/median.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "bench/harness/statistics/sign_test.hpp"

namespace loopbench::tests {

namespace {

using bench::median_with_interval;
using bench::paired_log_ratios;
using values = std::vector<std::optional<double>>;

std::vector<double> one_to(std::size_t count) {
    std::vector<double> all;
    for (std::size_t i = count; i > 0; --i) all.push_back(static_cast<double>(i));
    return all;
}

TEST(median, the_median_is_the_middle_value_or_the_mean_of_the_two_middle_values) {
    EXPECT_EQ(median_with_interval(std::vector{3.0, 1.0, 2.0}).median, 2.0);
    EXPECT_EQ(median_with_interval(std::vector{4.0, 1.0, 3.0, 2.0}).median, 2.5);
    EXPECT_EQ(median_with_interval(std::vector{7.0}).median, 7.0);
}

TEST(median, fewer_than_six_samples_have_no_95_percent_interval) {
    for (std::size_t count = 1; count < 6; ++count) {
        const auto found = median_with_interval(one_to(count));
        EXPECT_FALSE(found.low || found.high) << count;
    }
}

double covered_from(std::size_t k, std::size_t count) {
    double ways = 1, below = 0;
    for (std::size_t i = 0; i < k; ++i) {
        below += ways;
        ways = ways * static_cast<double>(count - i) / static_cast<double>(i + 1);
    }
    return 1 - 2 * below * std::pow(0.5, count);
}

// The ranks come from tables of the sign test at 95 %: n, lower rank, upper rank.
TEST(median, intervals_at_sign_test_levels_end_at_the_tabulated_ranks) {
    struct row {
        std::size_t count;
        double low, high;
    };
    for (const auto& [count, low, high] :
         {row{6, 1, 6}, row{7, 1, 7}, row{8, 1, 8}, row{9, 2, 8}, row{10, 2, 9}, row{11, 2, 10},
          row{12, 3, 10}, row{15, 4, 12}, row{20, 6, 15}, row{25, 8, 18}, row{30, 10, 21}}) {
        const double level = covered_from(static_cast<std::size_t>(low), count);
        const auto found = median_with_interval(one_to(count), level - 1e-12);
        EXPECT_NEAR(*found.low, low, 1e-9) << count;
        EXPECT_NEAR(*found.high, high, 1e-9) << count;
        EXPECT_GE(level, 0.95) << count;
        EXPECT_LT(covered_from(static_cast<std::size_t>(low) + 1, count), 0.95) << count;
    }
}

// Six samples: C_1 = 62/64 and C_2 = 50/64, thus I = (62 - 60.8) / 12 = 0.1 and s = 5 I / (1 + 4 I) = 0.5 /
// 1.4. Ten samples: C_2 = 1002/1024 and C_3 = 912/1024, thus I = (1002 - 972.8) / 90 and s = 8 I / (2 + 6 I).
TEST(median, the_ends_of_a_95_percent_interval_lie_between_two_ranks) {
    EXPECT_NEAR(*median_with_interval(one_to(6)).low, 1 + 0.5 / 1.4, 1e-9);
    EXPECT_NEAR(*median_with_interval(one_to(6)).high, 6 - 0.5 / 1.4, 1e-9);
    const double part = 29.2 / 90, s = 8 * part / (2 + 6 * part);
    EXPECT_NEAR(*median_with_interval(one_to(10)).low, 2 + s, 1e-9);
    EXPECT_NEAR(*median_with_interval(one_to(10)).high, 9 - s, 1e-9);
}

TEST(median, the_interval_widens_with_the_confidence_level) {
    EXPECT_FALSE(median_with_interval(one_to(7), 0.99).low);
    EXPECT_TRUE(median_with_interval(one_to(8), 0.99).low);
    EXPECT_TRUE(median_with_interval(one_to(5), 0.9).low);
    for (double level = 0.5, low = 30; level < 0.999; level += 0.001) {
        const double next = *median_with_interval(one_to(30), level).low;
        EXPECT_LT(next, low) << level;
        low = next;
    }
}

// Because of this match, a verdict and its interval never contradict each other.
TEST(sign_test, the_p_value_at_the_end_of_an_interval_matches_the_level_of_the_interval) {
    std::vector<double> samples = one_to(17);
    for (double& sample : samples) sample = sample * sample;
    for (const double level : {0.9, 0.95, 0.99, 0.999}) {
        const auto found = median_with_interval(samples, level);
        EXPECT_NEAR(2 * bench::p_above(samples, *found.low), 1 - level, 1e-9);
        EXPECT_NEAR(2 * bench::p_below(samples, *found.high), 1 - level, 1e-9);
    }
}

TEST(sign_test, the_smallest_possible_p_value_is_limited_by_the_number_of_samples) {
    EXPECT_DOUBLE_EQ(bench::p_above(one_to(7), 0.5), 1.0 / 128);
    EXPECT_DOUBLE_EQ(bench::p_below(one_to(7), 8), 1.0 / 128);
    EXPECT_EQ(bench::p_above(one_to(7), 7), 1);
    EXPECT_EQ(bench::p_above(one_to(7), 9), 1);
    EXPECT_DOUBLE_EQ(bench::p_above(one_to(7), 1 - 1e-12), 1.0 / 128);
    EXPECT_NEAR(bench::p_above(one_to(7), 4), 0.5, 0.14) << "the middle sample";
}

TEST(median, the_interval_of_equal_samples_is_a_point) {
    const std::vector<double> samples(60, 0.25);
    EXPECT_EQ(median_with_interval(samples).low, 0.25);
    EXPECT_EQ(median_with_interval(samples).high, 0.25);
}

TEST(ratio, a_ratio_is_the_median_of_the_pairs_and_not_the_ratio_of_the_medians) {
    // The machine becomes slower, but the ratio does not change.
    const values base{10, 20, 40, 80, 160, 320}, other{5, 10, 20, 40, 80, 160};
    const auto found = bench::ratio_from(paired_log_ratios(base, other));
    EXPECT_DOUBLE_EQ(found.median, 2);
    EXPECT_DOUBLE_EQ(*found.low, 2);
    EXPECT_DOUBLE_EQ(*found.high, 2);
}

TEST(ratio, the_ratio_of_an_even_number_of_pairs_is_a_geometric_mean) {
    const auto found = bench::ratio_from(paired_log_ratios(values{2, 8}, values{1, 1}));
    EXPECT_DOUBLE_EQ(found.median, 4);
    EXPECT_FALSE(found.low);
}

TEST(ratio, blocks_with_a_missing_value_are_left_out) {
    const auto pairs = paired_log_ratios(values{4, {}, 9, 100}, values{2, 1, {}});
    ASSERT_EQ(pairs.size(), 1U);
    EXPECT_DOUBLE_EQ(pairs[0], std::log(2));
    EXPECT_TRUE(paired_log_ratios(values{1, {}}, values{{}, 1}).empty());
    EXPECT_TRUE(paired_log_ratios(values{}, values{}).empty());
}

TEST(ratio, values_that_are_not_above_zero_have_no_ratio) {
    EXPECT_TRUE(paired_log_ratios(values{1, 0}, values{1, 1}).empty());
    EXPECT_TRUE(paired_log_ratios(values{1, 1}, values{1, -1}).empty());
}

TEST(ratio, there_are_no_ratios_if_the_ratio_of_one_pair_exceeds_the_range_of_double) {
    EXPECT_TRUE(paired_log_ratios(values{1e300, 1}, values{1e-300, 1}).empty());
    EXPECT_TRUE(paired_log_ratios(values{1e-300, 1}, values{1e300, 1}).empty());
}

TEST(quotient, a_quotient_with_one_zero_is_more_extreme_than_every_quotient_of_two_positive_values) {
    EXPECT_EQ(bench::log_quotient(0, 0), 0);
    EXPECT_DOUBLE_EQ(bench::log_quotient(6, 3), std::log(2));
    constexpr double least = std::numeric_limits<double>::denorm_min(),
                     most = std::numeric_limits<double>::max();
    EXPECT_GT(bench::log_quotient(least, 0), bench::log_quotient(most, least));
    EXPECT_LT(bench::log_quotient(0, least), bench::log_quotient(least, most));
}

}  // namespace

}  // namespace loopbench::tests
