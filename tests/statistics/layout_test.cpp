// What is found of layouts whose effect is known.
#include "bench/statistics/layout.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/statistics/chance.hpp"

namespace loopbench::tests {

namespace {

using bench::layout_contrast;

/// As many blocks as layouts, each once on either side, half a round apart (bench::layout_of).
std::vector<layout_contrast> round(generator& random, std::size_t layouts, double between, double noise) {
    std::normal_distribution<double> normal;
    std::vector<double> effects(layouts);
    for (auto& effect : effects) effect = between * normal(random);
    std::vector<layout_contrast> all;
    for (std::size_t block = 0; block < layouts; ++block) {
        const auto other = (block + layouts / 2) % layouts;
        all.push_back({block, other, block, effects[other] - effects[block] + noise * normal(random)});
    }
    return all;
}

/// The root of the mean of what many rounds give, squared.
double mean_found(double between, double noise) {
    generator random{20261122};
    constexpr int rounds = 2000;
    double squares = 0;
    for (int i = 0; i < rounds; ++i) {
        const double found = *bench::layout_deviation(round(random, 20, between, noise));
        squares += found * found / rounds;
    }
    return std::sqrt(squares);
}

TEST(layout, is_found_to_be_as_large_as_it_is) {
    EXPECT_NEAR(mean_found(0.03, 0), 0.03, 0.001);
    EXPECT_NEAR(mean_found(0.03, 0.02), 0.03, 0.0015);
    EXPECT_NEAR(mean_found(0.01, 0.005), 0.01, 0.001);
}

TEST(layout, of_no_effect_is_told_from_noise) {
    EXPECT_LT(mean_found(0, 0.03), 0.012);
    generator random{3};
    int none = 0;
    for (int i = 0; i < 100; ++i) none += *bench::layout_deviation(round(random, 20, 0, 0.03)) == 0 ? 1 : 0;
    EXPECT_GT(none, 35) << "half of the sums of products are below zero";
}

TEST(layout, is_no_larger_for_one_disturbed_block) {
    generator random{5};
    auto all = round(random, 20, 0.01, 0.005);
    const double before = *bench::layout_deviation(all);
    for (const double disturbed : {2.0, -2.0}) {  // one of them has the sign of its fellow
        all[7].log_ratio = disturbed;
        EXPECT_LT(*bench::layout_deviation(all), before + 0.01);
    }
}

TEST(layout, is_unknown_where_each_is_in_one_block_only_or_hardly_any_in_two) {
    std::vector<layout_contrast> all;
    EXPECT_FALSE(bench::layout_deviation(all));
    for (std::size_t i = 0; i < 20; ++i) all.push_back({i, 100 + i, i, i % 2 == 0 ? 0.01 : -0.01});
    EXPECT_FALSE(bench::layout_deviation(all));
    all.push_back({20, 100, 19, 0.01});
    EXPECT_FALSE(bench::layout_deviation(all));
}

TEST(layout, in_the_same_block_is_not_the_same_measurement_twice) {
    std::vector<layout_contrast> all;  // what a slow trial of the baseline does to both of a block's ratios
    for (std::size_t i = 0; i < 20; ++i)
        for (const std::size_t other : {100U, 200U})
            all.push_back({i, other + i, i, i % 3 == 0 ? 0.04 : -0.02});
    EXPECT_FALSE(bench::layout_deviation(all));
}

}  // namespace

}  // namespace loopbench::tests
