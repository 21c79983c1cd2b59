// Tests the corrections with examples that can be calculated by hand.
#include "bench/harness/statistics/correction.hpp"

#include <gtest/gtest.h>

namespace loopbench::tests {

namespace {

using bench::adjusted;
using bench::correction;
using numbers = std::vector<double>;

void expect_near(const numbers& found, const numbers& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-12) << i;
}

TEST(correction, holms_adjusted_p_values_use_the_number_of_remaining_comparisons_and_never_decrease) {
    // The products of the p-values in ascending order are 0.01 * 4, 0.015 * 3, 0.02 * 2 and 0.03 * 1. The
    // last two results are raised to the second product, 0.045.
    expect_near(adjusted(numbers{0.03, 0.01, 0.02, 0.015}, correction::holm), {0.045, 0.04, 0.045, 0.045});
}

TEST(correction, benjamini_hochberg_adjusted_p_values_use_the_rank_and_never_decrease) {
    // The products of the p-values in ascending order are 0.01 * 4 / 1, 0.015 * 4 / 2, 0.02 * 4 / 3 and 0.03
    // * 4 / 4. Each result is the minimum of its own product and all later products.
    expect_near(adjusted(numbers{0.03, 0.01, 0.02, 0.015}, correction::benjamini_hochberg),
                {0.03, 0.08 / 3, 0.08 / 3, 0.08 / 3});
}

// Table 1 of Benjamini and Hochberg (1995): at 5 %, Bonferroni's and Holm's methods find three differences,
// and the authors' method finds four.
TEST(correction, the_published_example_of_benjamini_and_hochberg_is_reproduced) {
    const numbers p_values{0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                           0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0};
    const auto found = [&](correction how) {
        int count = 0;
        for (const double p : adjusted(p_values, how)) count += p <= 0.05 ? 1 : 0;
        return count;
    };
    EXPECT_EQ(found(correction::holm), 3);
    EXPECT_EQ(found(correction::benjamini_hochberg), 4);
}

TEST(correction, correcting_one_comparison_changes_nothing_and_no_p_value_exceeds_one) {
    for (const auto how : {correction::holm, correction::benjamini_hochberg}) {
        expect_near(adjusted(numbers{0.04}, how), {0.04});
        expect_near(adjusted(numbers{0.9, 0.8}, how),
                    {how == correction::holm ? 1.0 : 0.9, how == correction::holm ? 1.0 : 0.9});
        EXPECT_TRUE(adjusted(numbers{}, how).empty());
    }
}

TEST(correction, the_p_value_that_one_more_significant_comparison_needs_depends_on_the_correction) {
    EXPECT_DOUBLE_EQ(bench::level_for_one_more(0, 40, 0.05, correction::holm), 0.05 / 40);
    EXPECT_DOUBLE_EQ(bench::level_for_one_more(39, 40, 0.05, correction::holm), 0.05);
    EXPECT_DOUBLE_EQ(bench::level_for_one_more(0, 40, 0.05, correction::benjamini_hochberg), 0.05 / 40);
    EXPECT_DOUBLE_EQ(bench::level_for_one_more(19, 40, 0.05, correction::benjamini_hochberg), 0.025);
}

}  // namespace

}  // namespace loopbench::tests
