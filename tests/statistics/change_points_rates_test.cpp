// How often change points are found where there are some, and where there are none: few tries, with seeds.
// docs/history.md gives the rates of many tries.
#include <gtest/gtest.h>

#include <algorithm>

#include "simulated_series.hpp"

namespace loopbench::tests {

namespace {

// One in a thousand of them, of 200.
TEST(change_points, are_hardly_ever_found_where_nothing_changed) {
    generator random{5};
    std::size_t alarms = 0;
    for (const auto& population : populations())
        for (int i = 0; i < 50; ++i)
            if (!changes_in(population.sample(random, 60), 60).empty()) ++alarms;
    EXPECT_LE(alarms, 2);
}

TEST(change_points, of_3_percent_are_found_within_five_runs_where_blocks_have_2_percent_of_noise) {
    generator random{6};
    std::size_t found = 0;
    for (int i = 0; i < 50; ++i)
        if (delay_of(with_step(random, median_of_blocks(0.02, 10), 60, 55, 3), 55, 5)) ++found;
    EXPECT_GE(found, 47);
}

// Without the correction there would be one in a thousand at this level, and ten at ten times as much.
TEST(change_points, are_corrected_for_the_number_of_series) {
    generator random{7};
    std::vector<run_series> all;
    for (int i = 0; i < 400; ++i) all.push_back(unchanged(random, normal_noise(0.01), 60));
    const auto alarms = [&](const bench::change_rule& rule) {
        const auto found = bench::change_points(all, rule);
        return std::ranges::count_if(found, [](const auto& points) { return !points.empty(); });
    };
    EXPECT_GE(alarms({.level = 0.05, .family_level = 1}), 8);
    EXPECT_EQ(alarms({.level = 0.05, .family_level = 0.01}), 0);
    all.push_back(with_step(random, normal_noise(0.01), 60, 50, 10));
    const auto found = bench::change_points(all);
    EXPECT_EQ(std::ranges::count_if(found, [](const auto& points) { return !points.empty(); }), 1);
    ASSERT_EQ(found.back().size(), 1) << "and one that changed is found among them";
}

// The correction asks for a p-value of 1 in 1.1 million here.
TEST(change_points, are_found_among_however_many_series) {
    generator random{7};
    std::vector<run_series> all;
    for (int i = 0; i < 1100; ++i) all.push_back(unchanged(random, normal_noise(0.01), 32));
    all.push_back(with_step(random, normal_noise(0.01), 32, 16, 20));
    const auto found = bench::change_points(all, {.family_level = 0.001});
    EXPECT_EQ(found.back().size(), 1);
}

}  // namespace

}  // namespace loopbench::tests
