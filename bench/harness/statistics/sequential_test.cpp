#include "bench/harness/statistics/sequential_test.hpp"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>

namespace loopbench::bench {

namespace {

double log_of_beta(double a, double b) {
    return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b);
}

}  // namespace

double evidence_of_majority(std::size_t above, std::size_t below) {
    const double a = static_cast<double>(above) + 1, b = static_cast<double>(below) + 1;
    const double upper_half = boost::math::ibetac(a, b, 0.5);  // the part of the beta function above 1/2
    if (upper_half <= 0) return 0;
    return std::exp((a + b - 1) * std::log(2.0) + log_of_beta(a, b) + std::log(upper_half));
}

std::optional<side> side_of_median(std::span<const double> samples, double error) {
    const auto above =
        static_cast<std::size_t>(std::ranges::count_if(samples, [](double value) { return value > 0; }));
    const auto below =
        static_cast<std::size_t>(std::ranges::count_if(samples, [](double value) { return value < 0; }));
    if (evidence_of_majority(above, below) >= 1 / error) return side::above;
    if (evidence_of_majority(below, above) >= 1 / error) return side::below;
    return std::nullopt;
}

std::size_t fewest_samples(double error) {
    std::size_t samples = 1;
    while (evidence_of_majority(samples, 0) < 1 / error) ++samples;
    return samples;
}

}  // namespace loopbench::bench
