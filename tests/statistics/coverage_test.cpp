// Tests the error rates of intervals and verdicts on random data with fixed seeds.
#include <gtest/gtest.h>

#include <algorithm>

#include "bench/harness/statistics/median.hpp"
#include "bench/harness/statistics/sign_test.hpp"
#include "bench/harness/statistics/verdict.hpp"
#include "chance.hpp"

namespace loopbench::tests {

namespace {

using reports::verdict;

double coverage(const population& from, std::size_t count, int tries) {
    generator random{20261121};
    int covered = 0;
    for (int i = 0; i < tries; ++i) {
        const auto found = bench::median_with_interval(from.sample(random, count));
        covered += *found.low <= from.median && from.median <= *found.high ? 1 : 0;
    }
    return static_cast<double>(covered) / tries;
}

// The standard error of the coverage is 0.11 %, because there are 40,000 tries.
TEST(coverage, intervals_have_a_coverage_between_94_and_96_percent_on_data_of_every_kind) {
    for (const auto& from : populations())
        for (const std::size_t count :
             {6UL, 7UL, 8UL, 9UL, 10UL, 11UL, 12UL, 15UL, 20UL, 30UL, 49UL, 50UL, 71UL})
            EXPECT_NEAR(coverage(from, count, 40'000), 0.95, 0.01) << from.name << count;
}

double family_wise_error(std::size_t blocks, const bench::verdict_rule& rule, int reports) {
    generator random{7};
    const auto kinds = populations();
    int wrong = 0;
    for (int i = 0; i < reports; ++i) {
        std::vector<std::vector<double>> comparisons;
        for (std::size_t k = 0; k < 40; ++k)
            comparisons.push_back(kinds[k % kinds.size()].sample(random, blocks));
        const auto judged = bench::judge_all(comparisons, rule);
        wrong += std::ranges::any_of(judged, [](const auto& one) {
            return one.verdict == verdict::faster || one.verdict == verdict::slower;
        });
    }
    return static_cast<double>(wrong) / reports;
}

// With a threshold of 0, only the correction for multiple comparisons limits false differences.
TEST(coverage, reports_of_40_comparisons_of_equal_data_seldom_claim_a_difference) {
    for (const auto how : {bench::correction::holm, bench::correction::benjamini_hochberg}) {
        bench::verdict_rule rule;
        rule.threshold_pct = 0;
        rule.how = how;
        EXPECT_LE(family_wise_error(7, rule, 2000), 0.05) << name_of(how);
        EXPECT_LE(family_wise_error(20, rule, 2000), 0.05) << name_of(how);
        EXPECT_LE(family_wise_error(60, rule, 200), 0.05) << name_of(how);
    }
}

TEST(coverage, without_the_correction_most_reports_of_40_comparisons_claim_a_false_difference) {
    bench::verdict_rule rule;
    rule.threshold_pct = 0;
    generator random{7};
    int wrong = 0;
    for (int i = 0; i < 200; ++i)
        for (int k = 0; k < 40; ++k) {
            const std::vector<std::vector<double>> alone{populations()[0].sample(random, 20)};
            if (bench::judge_all(alone, rule)[0].verdict == verdict::inconclusive) continue;
            ++wrong;
            break;
        }
    EXPECT_GT(wrong, 140);
}

TEST(coverage, the_smallest_detectable_difference_is_found_in_four_of_five_runs) {
    const bench::verdict_rule rule;
    for (const std::size_t blocks : {10UL, 40UL, 49UL}) {
        generator random{11};
        // The expected difference is computed from the true spread, 4 %. A single run has only an estimate of
        // the spread.
        double share = bench::share_needed(blocks, rule.alpha()).value_or(0), z = 0;
        for (double step = 1; step > 1e-9; step /= 2)
            while (std::erfc(-(z + step) / std::sqrt(2.0)) / 2 <= share) z += step;
        const auto slower = populations(-(rule.threshold() + 0.04 * z))[0];
        int seen = 0;
        for (int i = 0; i < 4000; ++i)
            seen += bench::judge_all(std::vector<std::vector<double>>{slower.sample(random, blocks)}, rule)[0]
                        .verdict == verdict::slower;
        EXPECT_NEAR(seen / 4000.0, 0.8, 0.025) << blocks;
    }
}

}  // namespace

}  // namespace loopbench::tests
