// Tests the statistics against SciPy's results in scipy/answers.json, which scipy/make_answers.py wrote.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "bench/harness/statistics/median.hpp"
#include "bench/harness/statistics/rank_test.hpp"
#include "bench/harness/statistics/sign_test.hpp"

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

std::vector<double> numbers_of(const json& from, const char* key) {
    return from.at(key).get<std::vector<double>>();
}

double number(const json& from, const char* key) {
    return from.at(key).get<double>();
}

TEST_F(scipy, medians_and_intervals_equal_those_of_scipy) {
    for (const auto& answer : answers("medians")) {
        const auto found = bench::median_with_interval(numbers_of(answer, "data"));
        EXPECT_DOUBLE_EQ(found.median, number(answer, "median")) << answer["kind"];
        EXPECT_NEAR(*found.low, number(answer, "low"), 1e-12) << answer["kind"];
        EXPECT_NEAR(*found.high, number(answer, "high"), 1e-12) << answer["kind"];
    }
}

TEST_F(scipy, p_values_of_the_sign_test_equal_those_of_scipy) {
    for (const auto& answer : answers("medians"))
        EXPECT_NEAR(bench::sign_test(answer.at("above").get<std::size_t>(), answer.at("data").size()),
                    number(answer, "p_above"), 1e-12)
            << answer["kind"];
}

TEST_F(scipy, p_values_of_the_mann_whitney_test_equal_those_of_scipy) {
    for (const auto& answer : answers("two_samples"))
        EXPECT_NEAR(bench::mann_whitney(numbers_of(answer, "first"), numbers_of(answer, "second")),
                    number(answer, "p"), 1e-9)
            << answer["first"].size() << " and " << answer["second"].size();
}

TEST_F(scipy, detectable_shares_equal_those_of_scipy) {
    for (const auto& answer : answers("power")) {
        const auto pairs = answer.at("pairs").get<std::size_t>();
        const auto level = 2 * bench::sign_test(answer.at("critical").get<std::size_t>(), pairs);
        EXPECT_NEAR(bench::share_needed(pairs, level).value_or(0), number(answer, "share"), 1e-9) << pairs;
    }
}

}  // namespace

}  // namespace loopbench::tests
