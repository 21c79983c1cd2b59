// Tests the shift between two samples.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "bench/harness/statistics/rank_test.hpp"
#include "chance.hpp"

namespace loopbench::tests {

namespace {

using samples = std::vector<double>;

double median_of_all_differences(const samples& first, const samples& second) {
    samples all;
    for (const double a : first)
        for (const double b : second) all.push_back(b - a);
    return bench::median_of(all);
}

TEST(shift, the_shift_is_the_median_of_all_differences) {
    generator random{5};
    for (const auto& from : populations())
        for (const auto& [m, n] : {std::pair{1UL, 1UL}, {1UL, 2UL}, {4UL, 4UL}, {5UL, 7UL}, {31UL, 20UL}}) {
            const auto first = from.sample(random, m), second = from.sample(random, n);
            EXPECT_EQ(bench::shift_between(first, second).median, median_of_all_differences(first, second))
                << from.name << ' ' << m << ' ' << n;
        }
    EXPECT_EQ(bench::shift_between(samples{0, 1, 1, 2}, samples{1, 1, 1, 3}).median, 0) << "with ties";
    EXPECT_FALSE(std::signbit(bench::shift_between(samples{1, 1}, samples{1, 1}).median));
}

// The interval of two samples of 5 values ends at the third smallest and the third largest of the 25
// differences. These ranks come from the table of the Mann-Whitney test at 5 % in textbooks.
TEST(shift, the_ends_of_a_shifts_interval_lie_between_two_differences) {
    const samples first{1, 2, 4, 8, 16}, second{33, 35, 39, 47, 63};
    samples all;
    for (const double a : first)
        for (const double b : second) all.push_back(b - a);
    std::ranges::sort(all);
    const auto found = bench::shift_between(first, second);
    EXPECT_EQ(found.low, all[2]);
    EXPECT_EQ(found.high, all[22]);
    EXPECT_FALSE(bench::shift_between(samples{1, 2, 3}, samples{1, 2, 3}).low) << "too few samples";
}

// A list of all differences would need 20 GB.
TEST(shift, comparing_the_halves_of_the_longest_run_needs_little_memory) {
    samples first, second;
    for (int i = 0; i < 50'000; ++i) {
        first.push_back(i);
        second.push_back(i + 3);
    }
    EXPECT_EQ(bench::shift_between(first, second).median, 3);
    EXPECT_GT(bench::mann_whitney(first, first), 0.9);
    EXPECT_LT(bench::mann_whitney(first, samples(50'000, 1e6)), 1e-9);
}

}  // namespace

}  // namespace loopbench::tests
