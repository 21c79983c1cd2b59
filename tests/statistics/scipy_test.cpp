// The statistics against SciPy's, on stored data: scipy/make_answers.py made scipy/answers.json.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "bench/statistics/bootstrap.hpp"
#include "bench/statistics/median.hpp"
#include "bench/statistics/rank_test.hpp"
#include "bench/statistics/sign_test.hpp"

namespace loopbench::tests {

namespace {

using nlohmann::json;

class scipy : public testing::Test {
protected:
    scipy() { std::ifstream{LOOPBENCH_SCIPY_ANSWERS} >> answers_; }

    const json& answers(const char* about) const {
        const auto& all = answers_.at(about);
        EXPECT_GE(all.size(), 4U);
        return all;
    }

private:
    json answers_;
};

std::vector<double> numbers(const json& from, const char* key) {
    return from.at(key).get<std::vector<double>>();
}

double number(const json& from, const char* key) {
    return from.at(key).get<double>();
}

TEST_F(scipy, agrees_on_medians_and_intervals) {
    for (const auto& answer : answers("medians")) {
        const auto found = bench::interpolated_interval(numbers(answer, "data"));
        EXPECT_DOUBLE_EQ(found.median, number(answer, "median")) << answer["kind"];
        EXPECT_NEAR(*found.low, number(answer, "low"), 1e-12) << answer["kind"];
        EXPECT_NEAR(*found.high, number(answer, "high"), 1e-12) << answer["kind"];
    }
}

TEST_F(scipy, agrees_on_the_sign_test) {
    for (const auto& answer : answers("medians"))
        EXPECT_NEAR(bench::sign_test(answer.at("above").get<std::size_t>(), answer.at("data").size()),
                    number(answer, "p_above"), 1e-12)
            << answer["kind"];
}

/// numpy.percentile, as SciPy uses it.
double interpolated(const std::vector<double>& sorted, double share) {
    const double place = share * static_cast<double>(sorted.size() - 1);
    const auto left = static_cast<std::size_t>(place);
    return std::lerp(sorted[left], sorted[left + 1], place - std::floor(place));
}

TEST_F(scipy, agrees_on_where_bca_intervals_end_in_the_same_resamples) {
    for (const auto& answer : answers("bootstraps")) {
        const auto found = bench::median_of(numbers(answer, "data"));
        auto resampled = numbers(answer, "resampled");
        std::ranges::sort(resampled);
        const auto ties = std::ranges::equal_range(resampled, found);
        const double below =
            static_cast<double>(ties.begin() - resampled.begin()) + static_cast<double>(ties.size()) / 2;
        const auto [low, high] = bench::bca_shares(below / static_cast<double>(resampled.size()),
                                                   numbers(answer, "left_out"), 0.95);
        EXPECT_NEAR(interpolated(resampled, low), number(answer, "low"), 1e-9) << answer["kind"];
        EXPECT_NEAR(interpolated(resampled, high), number(answer, "high"), 1e-9) << answer["kind"];
    }
}

// SciPy's 20,000 resamples stray a little from what infinitely many would give: by much less than the
// interval's width.
TEST_F(scipy, nearly_agrees_on_bca_intervals_without_resampling) {
    for (const auto& answer : answers("bootstraps")) {
        const auto [low, high] = bench::bca_median_interval(numbers(answer, "data"), 0.95);
        const double tolerance = (number(answer, "high_of_20000") - number(answer, "low_of_20000")) / 10;
        EXPECT_NEAR(low, number(answer, "low_of_20000"), tolerance) << answer["kind"];
        EXPECT_NEAR(high, number(answer, "high_of_20000"), tolerance) << answer["kind"];
    }
}

TEST_F(scipy, agrees_on_the_mann_whitney_test_exact_and_approximate) {
    for (const auto& answer : answers("two_samples"))
        EXPECT_NEAR(bench::mann_whitney(numbers(answer, "first"), numbers(answer, "second")),
                    number(answer, "p"), 1e-9)
            << answer["first"].size() << " and " << answer["second"].size();
}

TEST_F(scipy, agrees_on_what_could_have_been_seen) {
    for (const auto& answer : answers("power")) {
        const auto pairs = answer.at("pairs").get<std::size_t>();
        const auto level = 2 * bench::sign_test(answer.at("critical").get<std::size_t>(), pairs);
        EXPECT_NEAR(bench::share_needed(pairs, level).value_or(0), number(answer, "share"), 1e-9) << pairs;
    }
}

}  // namespace

}  // namespace loopbench::tests
