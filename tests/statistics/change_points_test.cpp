// Tests the search for change points in series with known changes.
#include <gtest/gtest.h>

#include "simulated_series.hpp"

namespace loopbench::tests {

namespace {

TEST(change_points, a_clear_step_is_found_at_the_run_where_it_occurs) {
    generator random{1};
    for (const std::size_t at : {20UL, 30UL, 57UL}) {
        const auto found = changes_in(with_step(random, normal_noise(0.001), 60, at, 5), 60);
        ASSERT_EQ(found.size(), 1) << at;
        EXPECT_EQ(found[0].at, at);
        EXPECT_LE(found[0].p, bench::change_rule{}.level);
    }
}

TEST(change_points, all_steps_of_a_series_are_found) {
    generator random{2};
    auto series = unchanged(random, normal_noise(0.001), 200);
    const std::vector<std::size_t> planted{15, 40, 100, 110, 190};
    for (const auto at : planted)
        for (auto i = at; i < series.size(); ++i) series[i] += 0.05;
    std::vector<std::size_t> found;
    for (const auto& change : changes_in(series, series.size())) found.push_back(change.at);
    EXPECT_EQ(found, planted);
}

TEST(change_points, constant_or_short_series_have_no_change_points) {
    EXPECT_TRUE(changes_in(run_series(1000, 3.0), 1000).empty());
    for (std::size_t runs = 0; runs < 10; ++runs)
        EXPECT_TRUE(changes_in({1, 1, 1, 2, 2, 2, 2, 2, 2, 2}, runs).empty());
}

TEST(change_points, a_step_in_counts_without_noise_is_found) {
    run_series counts(20, 1.0);
    for (std::size_t i = 14; i < counts.size(); ++i) counts[i] = 2;
    const auto found = changes_in(counts, counts.size());
    ASSERT_EQ(found.size(), 1);
    EXPECT_EQ(found[0].at, 14);
}

TEST(change_points, two_consecutive_outliers_are_not_reported_as_a_change) {
    generator random{3};
    auto series = unchanged(random, normal_noise(0.01), 60);
    series[20] += 0.3;
    series[21] += 0.3;
    series[59] += 0.3;
    EXPECT_TRUE(changes_in(series, 60).empty());
    series = unchanged(random, normal_noise(0.01), 60);
    series[0] += 0.3;
    series[1] += 0.3;
    EXPECT_TRUE(changes_in(series, 60).empty());
}

TEST(change_points, a_growing_series_keeps_the_change_points_that_were_already_found) {
    generator random{4};
    auto series = with_step(random, normal_noise(0.01), 400, 100, 5);
    const auto before = changes_in(series, 200);
    ASSERT_EQ(before.size(), 1);
    for (std::size_t i = 300; i < 400; ++i) series[i] += 1;
    const auto after = changes_in(series, 400);
    ASSERT_EQ(after.size(), 2);
    EXPECT_EQ(after[0].at, before[0].at);
    EXPECT_EQ(after[1].at, 300);
}

}  // namespace

}  // namespace loopbench::tests
