#pragma once

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace loopbench::tests {

using generator = std::mt19937_64;

struct population {
    std::string name;
    double median = 0;
    std::function<double(generator&)> draw;

    [[nodiscard]] std::vector<double> sample(generator& random, std::size_t count) const {
        std::vector<double> all(count);
        for (auto& value : all) value = draw(random);
        return all;
    }
};

inline std::vector<population> populations(double median = 0) {
    constexpr double spread = 0.04;
    const auto normal = [](generator& random) { return std::normal_distribution<double>{}(random); };
    const auto is_slow_mode = [](generator& random) {
        return std::uniform_real_distribution<double>{}(random) < 0.3;
    };
    // The bimodal data have values far above 0 in 30 % of all cases, so their median is the 5/7 quantile of
    // the other values. Before the shift below, this quantile is 0.5659 standard deviations above 0.
    constexpr double quantile_of_5_7 = 0.565948821932863;
    return {
        {"normal", median, [=](generator& random) { return median + spread * normal(random); }},
        {"skewed", median,
         [=](generator& random) { return median + spread * (std::exp(normal(random)) - 1); }},
        {"heavy-tailed", median,
         [=](generator& random) { return median + spread * std::student_t_distribution<double>{2}(random); }},
        {"bimodal", median,
         [=](generator& random) {
             const double mode = is_slow_mode(random) ? 10 : 0;
             return median + spread / 10 * (mode + normal(random) - quantile_of_5_7);
         }},
    };
}

}  // namespace loopbench::tests
