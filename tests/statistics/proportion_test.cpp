// Tests the limits of proportions against values that can be calculated by hand.
#include "bench/harness/statistics/proportion.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace loopbench::tests {

namespace {

using bench::proportion_at_most;
using bench::proportion_interval;

TEST(proportion, the_limits_for_zero_successes_and_for_only_successes_equal_the_closed_form) {
    EXPECT_NEAR(proportion_at_most(0, 320, 0.95), 1 - std::pow(0.05, 1.0 / 320), 1e-12);
    EXPECT_NEAR(proportion_interval(0, 40, 0.95).second, 1 - std::pow(0.025, 1.0 / 40), 1e-12);
    EXPECT_NEAR(proportion_interval(40, 40, 0.95).first, std::pow(0.025, 1.0 / 40), 1e-12);
    EXPECT_EQ(proportion_interval(0, 40, 0.95).first, 0);
    EXPECT_EQ(proportion_interval(40, 40, 0.95).second, 1);
}

// At each end, the observed count or a more extreme count has a probability of 2.5 %.
TEST(proportion, the_interval_of_a_proportion_ends_where_a_binomial_tail_has_2_5_percent) {
    const auto [low, high] = proportion_interval(2, 4, 0.95);
    const auto at_least_two = [](double p) { return 1 - std::pow(1 - p, 4) - 4 * p * std::pow(1 - p, 3); };
    EXPECT_NEAR(at_least_two(low), 0.025, 1e-9);
    EXPECT_NEAR(at_least_two(1 - high), 0.025, 1e-9);
}

TEST(proportion, a_one_sided_limit_lies_within_the_two_sided_interval) {
    EXPECT_LT(proportion_at_most(3, 40, 0.95), proportion_interval(3, 40, 0.95).second);
    EXPECT_GT(proportion_at_most(3, 40, 0.95), 3.0 / 40);
}

}  // namespace

}  // namespace loopbench::tests
