// The sign-test interval by Boost.Math's binomial distribution.
#include "bench/statistics/median.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <vector>

namespace loopbench::bench {

namespace {

/// The largest k with 1 - 2 P(B <= k - 1) >= level; 0 when even k = 1 covers too little.
std::size_t interval_rank(std::size_t count, double level) {
    const boost::math::binomial_distribution<double> fair{static_cast<double>(count), 0.5};
    std::size_t k = 0;
    while (k < count / 2 && 1 - 2 * cdf(fair, static_cast<double>(k)) >= level) ++k;
    return k;
}

double middle_of(std::span<const double> sorted) {
    const auto half = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

}  // namespace

estimate median_with_interval(std::span<const double> samples, double level) {
    std::vector<double> sorted(samples.begin(), samples.end());
    std::ranges::sort(sorted);
    estimate found{middle_of(sorted), {}, {}};
    if (const auto k = interval_rank(sorted.size(), level); k > 0) {
        found.low = sorted[k - 1];
        found.high = sorted[sorted.size() - k];
    }
    return found;
}

std::optional<estimate> paired_ratio(std::span<const std::optional<double>> numerator,
                                     std::span<const std::optional<double>> denominator, double level) {
    std::vector<double> log_ratios;
    for (std::size_t block = 0; block < std::min(numerator.size(), denominator.size()); ++block) {
        const auto &above = numerator[block], &below = denominator[block];
        if (!above || !below) continue;
        if (*above <= 0 || *below <= 0) return std::nullopt;
        log_ratios.push_back(std::log(*above / *below));
    }
    if (log_ratios.empty()) return std::nullopt;
    auto found = median_with_interval(log_ratios, level);
    found.median = std::exp(found.median);
    if (found.low) found.low = std::exp(*found.low);
    if (found.high) found.high = std::exp(*found.high);
    return found;
}

}  // namespace loopbench::bench
