// Tests the rates of found change points with few series and fixed seeds. docs/history.md contains the rates
// for many series.
#include <gtest/gtest.h>

#include <algorithm>

#include "simulated_series.hpp"

namespace loopbench::tests {

namespace {

// On average, one in a thousand unchanged series has a false alarm. This test has 200 series and allows two
// alarms.
TEST(change_points, unchanged_series_hardly_ever_have_change_points) {
    generator random{5};
    std::size_t alarms = 0;
    for (const auto& population : populations())
        for (int i = 0; i < 50; ++i)
            if (!changes_in(population.sample(random, 60), 60).empty()) ++alarms;
    EXPECT_LE(alarms, 2);
}

TEST(change_points, a_step_of_3_percent_is_found_within_five_runs_if_the_blocks_have_2_percent_noise) {
    generator random{6};
    std::size_t found = 0;
    for (int i = 0; i < 50; ++i)
        if (delay_of(with_step(random, median_of_blocks(0.02, 10), 60, 55, 3), 55, 5)) ++found;
    EXPECT_GE(found, 47);
}

// Without a family level, the level of 0.05 for each series gives at least 8 of the 400 series a false alarm.
TEST(change_points, the_family_level_limits_false_alarms_among_many_series) {
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
    ASSERT_EQ(found.back().size(), 1) << "the changed series is found among them";
}

// With 1,100 series and a family level of 0.001, a change needs a p-value of 1 in 1.1 million.
TEST(change_points, a_change_is_found_among_a_thousand_series) {
    generator random{7};
    std::vector<run_series> all;
    for (int i = 0; i < 1100; ++i) all.push_back(unchanged(random, normal_noise(0.01), 32));
    all.push_back(with_step(random, normal_noise(0.01), 32, 16, 20));
    const auto found = bench::change_points(all, {.family_level = 0.001});
    EXPECT_EQ(found.back().size(), 1);
}

}  // namespace

}  // namespace loopbench::tests
