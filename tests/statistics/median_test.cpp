// Against values known in closed form, and against chance itself.
#include "bench/statistics/median.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "bench/statistics/bootstrap.hpp"

namespace loopbench::tests {

namespace {

using bench::paired_log_ratios;
using bench::sign_test_interval;
using values = std::vector<std::optional<double>>;

std::vector<double> one_to(std::size_t count) {
    std::vector<double> all;
    for (std::size_t i = count; i > 0; --i) all.push_back(static_cast<double>(i));
    return all;
}

TEST(median, is_the_middle_or_the_mean_of_the_two_in_the_middle) {
    EXPECT_EQ(sign_test_interval(std::vector{3.0, 1.0, 2.0}).median, 2.0);
    EXPECT_EQ(sign_test_interval(std::vector{4.0, 1.0, 3.0, 2.0}).median, 2.5);
    EXPECT_EQ(sign_test_interval(std::vector{7.0}).median, 7.0);
}

TEST(median, has_no_95_percent_interval_below_six_samples) {
    for (std::size_t count = 1; count < 6; ++count) {
        const auto found = sign_test_interval(one_to(count));
        EXPECT_FALSE(found.low || found.high) << count;
    }
}

// The ranks are those of the tables of the sign test (n, lower rank, upper rank) at 95 %.
TEST(median, interval_has_the_ranks_of_the_sign_tests_tables) {
    struct row {
        std::size_t count;
        double low, high;
    };
    for (const auto& [count, low, high] :
         {row{6, 1, 6}, row{7, 1, 7}, row{8, 1, 8}, row{9, 2, 8}, row{10, 2, 9}, row{11, 2, 10},
          row{12, 3, 10}, row{15, 4, 12}, row{20, 6, 15}, row{25, 8, 18}, row{30, 10, 21}}) {
        const auto found = sign_test_interval(one_to(count));
        EXPECT_EQ(found.low, low) << count;
        EXPECT_EQ(found.high, high) << count;
    }
}

TEST(median, interval_widens_with_the_level) {
    EXPECT_FALSE(sign_test_interval(one_to(7), 0.99).low);
    EXPECT_EQ(sign_test_interval(one_to(8), 0.99).low, 1);
    EXPECT_EQ(sign_test_interval(one_to(5), 0.9).low, 1);
}

// 20,000 tries: the standard error of a coverage near 0.97 is 0.0012, so 0.006 is five of them.
TEST(median, interval_covers_the_true_median_as_often_as_the_binomial_says) {
    std::mt19937_64 random{20261121};
    std::exponential_distribution<double> skewed{1.0};
    const double true_median = std::log(2.0);
    struct expectation {
        std::size_t count;
        double coverage;  // 1 - 2 P(B <= k - 1)
    };
    for (const auto& [count, coverage] : {expectation{6, 1 - 2.0 / 64}, expectation{7, 1 - 2.0 / 128},
                                          expectation{10, 1 - 2.0 * 11 / 1024}}) {
        constexpr int tries = 20'000;
        int covered = 0;
        for (int i = 0; i < tries; ++i) {
            std::vector<double> samples(count);
            for (auto& sample : samples) sample = skewed(random);
            const auto found = sign_test_interval(samples);
            covered += *found.low <= true_median && true_median <= *found.high ? 1 : 0;
        }
        EXPECT_NEAR(static_cast<double>(covered) / tries, coverage, 0.006) << count;
    }
}

TEST(median, interval_of_many_samples_is_that_of_the_bootstrap) {
    const auto many = one_to(bench::many_samples), few = one_to(bench::many_samples - 1);
    EXPECT_EQ(bench::median_with_interval(few).low, sign_test_interval(few).low);
    const auto [low, high] = bench::bca_median_interval(many, bench::default_level);
    EXPECT_EQ(bench::median_with_interval(many).low, low);
    EXPECT_EQ(bench::median_with_interval(many).high, high);
    EXPECT_GT(low, *sign_test_interval(many).low);
}

TEST(median, interval_is_the_same_each_time) {
    const auto samples = one_to(60);
    EXPECT_EQ(bench::bca_median_interval(samples, 0.95), bench::bca_median_interval(samples, 0.95));
}

TEST(median, interval_of_samples_that_are_all_alike_is_a_point) {
    const std::vector<double> samples(60, 0.25);
    EXPECT_EQ(bench::bca_median_interval(samples, 0.95), std::pair(0.25, 0.25));
}

TEST(ratio, is_the_median_of_the_pairs_not_the_ratio_of_the_medians) {
    // A drifting machine doubles both of a pair: the ratio does not notice.
    const values base{10, 20, 40, 80, 160, 320}, other{5, 10, 20, 40, 80, 160};
    const auto found = bench::ratio_from(paired_log_ratios(base, other));
    EXPECT_DOUBLE_EQ(found.median, 2);
    EXPECT_DOUBLE_EQ(*found.low, 2);
    EXPECT_DOUBLE_EQ(*found.high, 2);
}

TEST(ratio, of_an_even_number_of_pairs_is_their_geometric_middle) {
    const auto found = bench::ratio_from(paired_log_ratios(values{2, 8}, values{1, 1}));
    EXPECT_DOUBLE_EQ(found.median, 4);
    EXPECT_FALSE(found.low);
}

TEST(ratio, leaves_out_blocks_in_which_either_is_missing) {
    const auto pairs = paired_log_ratios(values{4, {}, 9, 100}, values{2, 1, {}});
    ASSERT_EQ(pairs.size(), 1U);
    EXPECT_DOUBLE_EQ(pairs[0], std::log(2));
    EXPECT_TRUE(paired_log_ratios(values{1, {}}, values{{}, 1}).empty());
    EXPECT_TRUE(paired_log_ratios(values{}, values{}).empty());
}

TEST(ratio, does_not_exist_for_values_that_are_not_above_zero) {
    EXPECT_TRUE(paired_log_ratios(values{1, 0}, values{1, 1}).empty());
    EXPECT_TRUE(paired_log_ratios(values{1, 1}, values{1, -1}).empty());
}

TEST(ratio, does_not_exist_where_a_double_cannot_hold_it) {
    EXPECT_TRUE(paired_log_ratios(values{1e300, 1}, values{1e-300, 1}).empty());
    EXPECT_TRUE(paired_log_ratios(values{1e-300, 1}, values{1e300, 1}).empty());
}

}  // namespace

}  // namespace loopbench::tests
