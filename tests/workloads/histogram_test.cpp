// Compares percentiles of histograms with the exact percentiles. histogram.hpp states the allowed error.
#include "bench/suite/recording/histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace loopbench::bench {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr double percents[] = {0, 0.1, 1, 10, 25, 50, 75, 90, 99, 99.9, 99.99, 100};

std::int64_t exact_percentile(const std::vector<std::int64_t>& sorted, double percent) {
    std::size_t covered = 1;
    while (static_cast<double>(covered) * 100 < percent * static_cast<double>(sorted.size())) ++covered;
    return sorted[covered - 1];
}

void expect_within_error(std::int64_t actual, std::int64_t exact) {
    const double allowed = std::abs(static_cast<double>(exact)) / 256;
    EXPECT_LE(std::abs(static_cast<double>(actual) - static_cast<double>(exact)), allowed)
        << "exact: " << exact;
}

TEST(histogram, percentiles_are_within_the_stated_error_of_the_exact_percentiles) {
    std::mt19937_64 random(7);
    std::lognormal_distribution<double> latency(8, 2.5);
    for (const std::size_t count : {1u, 2u, 3u, 10u, 1000u, 100'000u}) {
        histogram measured;
        std::vector<std::int64_t> values;
        for (std::size_t i = 0; i < count; ++i) {
            values.push_back(static_cast<std::int64_t>(latency(random)));
            measured.record(values.back());
        }
        std::sort(values.begin(), values.end());
        for (const double percent : percents) {
            SCOPED_TRACE(testing::Message() << percent << " % of " << count);
            expect_within_error(measured.percentile_ns(percent), exact_percentile(values, percent));
        }
        EXPECT_EQ(measured.min_ns(), values.front());
        EXPECT_EQ(measured.max_ns(), values.back());
        EXPECT_EQ(measured.count(), count);
    }
}

TEST(histogram, values_of_every_magnitude_are_recorded_within_the_stated_error) {
    for (int exponent = 0; exponent < 63; ++exponent) {
        const std::int64_t power = std::int64_t{1} << exponent;
        for (const std::int64_t value : {power - 1, power, power + power / 3, power + (power - 1)}) {
            histogram measured;
            measured.record(0);
            measured.record(value);
            measured.record(largest);  // so that `value` is not the maximum, which is stored exactly
            SCOPED_TRACE(value);
            expect_within_error(measured.percentile_ns(50), value);
        }
    }
}

TEST(histogram, values_below_256_are_exact) {
    histogram measured;
    for (std::int64_t value = 0; value < 256; ++value) measured.record(value);
    for (std::uint64_t rank = 1; rank <= 256; ++rank)
        EXPECT_EQ(measured.value_at_rank_ns(rank), static_cast<std::int64_t>(rank) - 1);
}

TEST(histogram, an_empty_histogram_reports_zero_for_every_statistic) {
    const histogram empty;
    EXPECT_EQ(empty.count(), 0u);
    EXPECT_EQ(empty.percentile_ns(50), 0);
    EXPECT_EQ(empty.percentile_ns(100), 0);
    EXPECT_EQ(empty.min_ns(), 0);
    EXPECT_EQ(empty.max_ns(), 0);
    EXPECT_EQ(empty.mean_ns(), 0);
}

TEST(histogram, a_histogram_accepts_the_smallest_and_the_largest_value) {
    histogram measured;
    measured.record(0);
    measured.record(1);
    measured.record(largest);
    EXPECT_EQ(measured.percentile_ns(1), 0);
    EXPECT_EQ(measured.percentile_ns(50), 1);
    EXPECT_EQ(measured.max_ns(), largest);
    expect_within_error(measured.percentile_ns(100), largest);
}

TEST(histogram, a_histogram_records_a_negative_value_as_zero) {
    histogram measured;
    measured.record(-5);
    EXPECT_EQ(measured.count(), 1u);
    EXPECT_EQ(measured.max_ns(), 0);
}

TEST(histogram, the_mean_of_a_histogram_is_exact) {
    histogram measured;
    for (const std::int64_t value : {1'000'003, 5, 77, 123'456'789}) measured.record(value);
    EXPECT_DOUBLE_EQ(measured.mean_ns(), (1'000'003.0 + 5 + 77 + 123'456'789) / 4);
}

TEST(histogram, the_nearest_rank_of_a_percentile_with_a_decimal_fraction_is_exact) {
    EXPECT_EQ(nearest_rank(99.9, 1000), 999u);
    EXPECT_EQ(nearest_rank(99.9, 10'000), 9990u);
    EXPECT_EQ(nearest_rank(50, 2), 1u);
    EXPECT_EQ(nearest_rank(50, 3), 2u);
    EXPECT_EQ(nearest_rank(0, 10), 1u);
    EXPECT_EQ(nearest_rank(100, 10), 10u);
}

TEST(signed_histogram, the_buckets_are_in_ascending_order_and_contain_every_recorded_value) {
    signed_histogram measured;
    std::vector<std::int64_t> values{-1'000'000, -300, -7, -1, 0, 1, 255, 256, 257, 1000, 1'000'000'007};
    for (const std::int64_t value : values) measured.record(value);
    std::size_t seen = 0;
    std::int64_t above = std::numeric_limits<std::int64_t>::min();
    measured.for_each_bucket([&](std::int64_t lowest, std::int64_t highest, std::uint64_t count) {
        EXPECT_GT(lowest, above);
        above = highest;
        for (std::uint64_t i = 0; i < count; ++i, ++seen) {
            EXPECT_LE(lowest, values[seen]);
            EXPECT_GE(highest, values[seen]);
        }
    });
    EXPECT_EQ(seen, values.size());
    EXPECT_NEAR(measured.mean_ns(), (1'000'000'007.0 - 1'000'000 - 300 - 8 + 1769) / 11, 1e-3);
}

TEST(signed_histogram, percentiles_are_correct_if_some_values_are_early_and_others_are_late) {
    std::mt19937_64 random(11);
    std::normal_distribution<double> lateness(20'000, 30'000);
    signed_histogram measured;
    std::vector<std::int64_t> values;
    for (int i = 0; i < 10'000; ++i) {
        values.push_back(static_cast<std::int64_t>(lateness(random)));
        measured.record(values.back());
    }
    std::sort(values.begin(), values.end());
    for (const double percent : percents) {
        SCOPED_TRACE(percent);
        expect_within_error(measured.percentile_ns(percent), exact_percentile(values, percent));
    }
    EXPECT_EQ(measured.min_ns(), values.front());
    EXPECT_EQ(measured.max_ns(), values.back());
    EXPECT_EQ(measured.early_count(),
              static_cast<std::uint64_t>(
                  std::count_if(values.begin(), values.end(), [](auto value) { return value < 0; })));
}

TEST(signed_histogram, a_lateness_of_minus_one_nanosecond_counts_as_early_and_a_lateness_of_zero_does_not) {
    signed_histogram measured;
    measured.record(0);
    EXPECT_EQ(measured.early_count(), 0u);
    measured.record(-1);
    EXPECT_EQ(measured.early_count(), 1u);
    EXPECT_EQ(measured.min_ns(), -1);
    EXPECT_EQ(measured.max_ns(), 0);
}

TEST(signed_histogram, a_signed_histogram_accepts_extreme_values_and_can_be_empty) {
    signed_histogram measured;
    EXPECT_EQ(measured.percentile_ns(50), 0);
    measured.record(std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(measured.min_ns(), -largest);
    EXPECT_EQ(measured.max_ns(), -largest);
}

}  // namespace
}  // namespace loopbench::bench
