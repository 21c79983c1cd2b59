// Tests the error rate of a sign test that is repeated after each sample.
#include "bench/harness/statistics/sequential_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "chance.hpp"

namespace loopbench::tests {

namespace {

using bench::evidence_of_majority;
using bench::side;
using bench::side_of_median;

struct decided {
    int above = 0, below = 0, never = 0;
    double samples = 0;
};

/// Runs the test after each of `most` samples, until it answers. A sample is above 0 with the probability
/// `share`.
decided decide(double share, double error, std::size_t most, int runs) {
    generator random{20270116};
    decided all;
    std::bernoulli_distribution is_above{share};
    for (int run = 0; run < runs; ++run) {
        std::vector<double> samples;
        std::optional<side> found;
        while (!found && samples.size() < most) {
            samples.push_back(is_above(random) ? 1 : -1);
            found = side_of_median(samples, error);
        }
        ++(!found ? all.never : *found == side::above ? all.above : all.below);
        all.samples += static_cast<double>(samples.size()) / runs;
    }
    return all;
}

TEST(sequential_test, the_evidence_of_samples_on_one_side_is_the_integral_over_all_shares) {
    // With no sample below, E = (2^(n+1) - 1) / (n + 1).
    EXPECT_DOUBLE_EQ(evidence_of_majority(0, 0), 1);
    EXPECT_NEAR(evidence_of_majority(1, 0), 1.5, 1e-12);
    EXPECT_NEAR(evidence_of_majority(9, 0), 1023 / 10.0, 1e-9);
    EXPECT_LT(evidence_of_majority(5, 5), 1);
    EXPECT_LT(evidence_of_majority(0, 1000), 0.01);
    EXPECT_GT(evidence_of_majority(100'000, 0), 1e100) << "large numbers do not overflow";
}

TEST(sequential_test, the_answer_is_rarely_wrong_although_the_test_is_repeated_after_each_sample) {
    constexpr double error = 0.05;
    constexpr int runs = 1000;
    const auto none = decide(0.5, error, 200, runs);
    EXPECT_LE(none.above + none.below, 2 * error * runs) << "each side is named with a probability of 5 %";
    EXPECT_GT(none.never, runs / 2);
    for (const double share : {0.55, 0.7, 0.9})
        EXPECT_LE(decide(share, error, 200, runs).below, error * runs);
}

TEST(sequential_test, the_test_answers_after_few_samples_if_the_two_sides_differ_much) {
    EXPECT_EQ(bench::fewest_samples(0.05 / 7), 10U);
    const auto clear = decide(0.95, 0.05 / 7, 400, 200);
    EXPECT_EQ(clear.never, 0);
    EXPECT_LT(clear.samples, 16);
    EXPECT_EQ(decide(0.8, 0.05 / 7, 400, 200).never, 0);
}

TEST(sequential_test, zeros_are_ignored) {
    std::vector<double> samples(50, 0.0);
    EXPECT_FALSE(side_of_median(samples, 0.01));
    samples.resize(70, -1.0);
    EXPECT_EQ(side_of_median(samples, 0.01), side::below);
    std::ranges::replace(samples, -1.0, 1.0);
    EXPECT_EQ(side_of_median(samples, 0.01), side::above);
}

}  // namespace

}  // namespace loopbench::tests
