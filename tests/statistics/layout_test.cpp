// Tests the statistics over several layouts whose effects are known.
#include "bench/harness/statistics/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <random>
#include <vector>

#include "tests/statistics/chance.hpp"

namespace loopbench::tests {

namespace {

using bench::layout_contrast;

/// Returns one contrast for each block; there are as many blocks as layouts. Each layout is the old build in
/// one block and the new build in another block, half of all blocks away (bench::layout_of).
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

TEST(layout, the_deviation_between_layouts_is_estimated_correctly) {
    EXPECT_NEAR(mean_found(0.03, 0), 0.03, 0.001);
    EXPECT_NEAR(mean_found(0.03, 0.02), 0.03, 0.0015);
    EXPECT_NEAR(mean_found(0.01, 0.005), 0.01, 0.001);
}

TEST(layout, a_few_layouts_that_are_much_slower_count_fully) {
    generator random{9};
    std::normal_distribution<double> normal;
    constexpr double slow = 0.6, noise = 0.005;
    for (const std::size_t how_many : {2U, 6U}) {
        const double share = static_cast<double>(how_many) / 20;
        double squares = 0;
        constexpr int rounds = 500;
        for (int i = 0; i < rounds; ++i) {
            auto all = round(random, 20, 0, noise);
            std::vector<std::size_t> places(20);
            std::iota(places.begin(), places.end(), 0);
            std::ranges::shuffle(places, random);
            const auto effect = [&](std::size_t layout) {
                return std::ranges::find(places, layout) - places.begin() < std::ptrdiff_t(how_many) ? slow
                                                                                                     : 0;
            };
            for (auto& item : all) item.log_ratio += effect(item.faster) - effect(item.slower);
            const double found = *bench::layout_deviation(all);
            squares += found * found / rounds;
        }
        const double expected = slow * std::sqrt(share * (1 - share) * 20 / 19);
        EXPECT_NEAR(std::sqrt(squares), expected, expected / 10) << how_many;
    }
}

TEST(layout, noise_alone_gives_hardly_any_deviation_between_layouts) {
    EXPECT_LT(mean_found(0, 0.03), 0.012);
    generator random{3};
    int none = 0;
    for (int i = 0; i < 100; ++i) none += *bench::layout_deviation(round(random, 20, 0, 0.03)) == 0 ? 1 : 0;
    EXPECT_GT(none, 35) << "half of the sums of products are below zero";
}

TEST(layout, one_disturbed_block_hardly_increases_the_deviation_between_layouts) {
    generator random{5};
    auto all = round(random, 20, 0.01, 0.005);
    const double before = *bench::layout_deviation(all);
    for (const double disturbed : {2.0, -2.0}) {
        all[7].log_ratio = disturbed;
        EXPECT_LT(*bench::layout_deviation(all), before + 0.01);
    }
}

TEST(layout, no_deviation_between_layouts_is_estimated_if_too_few_layouts_occur_in_two_blocks) {
    std::vector<layout_contrast> all;
    EXPECT_FALSE(bench::layout_deviation(all));
    for (std::size_t i = 0; i < 20; ++i) all.push_back({i, 100 + i, i, i % 2 == 0 ? 0.01 : -0.01});
    EXPECT_FALSE(bench::layout_deviation(all));
    all.push_back({20, 100, 19, 0.01});
    EXPECT_FALSE(bench::layout_deviation(all));
}

TEST(layout, two_ratios_of_one_block_give_no_deviation_between_layouts) {
    std::vector<layout_contrast> all;  // the two ratios of a block share one baseline trial
    for (std::size_t i = 0; i < 20; ++i)
        for (const std::size_t other : {100U, 200U})
            all.push_back({i, other + i, i, i % 3 == 0 ? 0.04 : -0.02});
    EXPECT_FALSE(bench::layout_deviation(all));
}

}  // namespace

}  // namespace loopbench::tests
