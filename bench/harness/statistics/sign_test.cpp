#include "bench/harness/statistics/sign_test.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <vector>

namespace loopbench::bench {

namespace {

// A policy for computing in double. Boost.Math's default, long double, takes much longer, and its additional
// digits are never shown.
using without_promotion = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
using binomial_in_double = boost::math::binomial_distribution<double, without_promotion>;

constexpr double wanted_power = 0.8;

binomial_in_double fair(std::size_t count) {
    return binomial_in_double{static_cast<double>(count), 0.5};
}

double less_than(const binomial_in_double& distribution, std::size_t k) {
    return k == 0 ? 0 : cdf(distribution, static_cast<double>(k - 1));
}

double exactly(const binomial_in_double& distribution, std::size_t k) {
    return pdf(distribution, static_cast<double>(k));
}

/// The place of a tail probability in the distribution of B ~ Binomial(n, 1/2): P(B < k) <= tail < P(B < k +
/// 1).
struct place_of_tail {
    std::size_t k = 0;
    double between = 0;  // position of the tail in this step, from 0 to 1; I in median.hpp
};

/// Returns the place of `tail` in the distribution of B ~ Binomial(n, 1/2). Computes P(B = k + 1) = P(B = k)
/// (n - k) / (k + 1). Begins at a k for which P(B < k) is below 1e-170 and thus negligible, because P(B < k)
/// <= exp(-2 (n / 2 - k)^2 / n) (Hoeffding 1963).
place_of_tail place_of(double tail, std::size_t count) {
    const double n = static_cast<double>(count);
    auto k = static_cast<std::size_t>(std::max(0.0, n / 2 - 14 * std::sqrt(n)));
    double below = 0, step = exactly(fair(count), k);
    while (k < count / 2 && below + step <= tail) {
        below += step;
        step *= (n - static_cast<double>(k)) / static_cast<double>(k + 1);
        ++k;
    }
    return {k, (tail - below) / step};
}

double part_between_ranks(std::size_t k, double between, std::size_t count) {
    const double n = static_cast<double>(count), rank = static_cast<double>(k);
    return (n - rank) * between / (rank + (n - 2 * rank) * between);
}

std::vector<double> sorted(std::span<const double> samples) {
    std::vector<double> all(samples.begin(), samples.end());
    std::ranges::sort(all);
    return all;
}

}  // namespace

double sign_test(std::size_t successes, std::size_t trials) {
    if (successes == 0) return 1;
    return cdf(complement(fair(trials), static_cast<double>(successes - 1)));
}

double p_above(std::span<const double> samples, double value) {
    const auto x = sorted(samples);
    const auto after = std::ranges::upper_bound(x, value);
    const auto c = static_cast<std::size_t>(after - x.begin());
    if (c == 0) return sign_test(x.size(), x.size());
    if (c == x.size()) return 1;
    const double n = static_cast<double>(x.size()), below = static_cast<double>(c);
    const double s = (value - *(after - 1)) / (*after - *(after - 1));
    const double between = s * below / (n - below - s * (n - 2 * below));
    return less_than(fair(x.size()), c) + between * exactly(fair(x.size()), c);
}

double p_below(std::span<const double> samples, double value) {
    std::vector<double> mirrored(samples.begin(), samples.end());
    for (double& sample : mirrored) sample = -sample;
    return p_above(mirrored, -value);
}

estimate median_with_interval(std::span<const double> samples, double level) {
    const auto x = sorted(samples);
    estimate found{median_of(x), {}, {}};
    const auto [k, between] = place_of((1 - level) / 2, x.size());
    if (k == 0) return found;
    const double s = part_between_ranks(k, between, x.size());
    found.low = std::lerp(x[k - 1], x[k], s);
    found.high = std::lerp(x[x.size() - k], x[x.size() - k - 1], s);
    return found;
}

std::optional<double> share_needed(std::size_t pairs, double level) {
    const auto [k, between] = place_of(level / 2, pairs);
    if (k == 0) return std::nullopt;
    const double s = part_between_ranks(k, between, pairs), rank = static_cast<double>(k);
    const double others_of_rank = static_cast<double>(pairs) - rank;
    const auto power_lacking = [&, last = k](double share) {
        const binomial_in_double others{static_cast<double>(pairs), 1 - share};
        const double last_below = others_of_rank * (1 - share) * (1 - s);
        const double found = s > 0 ? s * rank * share / (s * rank * share + last_below) : 0;
        return less_than(others, last) + found * exactly(others, last) - wanted_power;
    };
    constexpr int digits = 40;
    const auto [low, high] = boost::math::tools::bisect(power_lacking, 0.0, 1.0,
                                                        boost::math::tools::eps_tolerance<double>{digits});
    return (low + high) / 2;
}

std::size_t fewest_pairs(double level) {
    return static_cast<std::size_t>(std::ceil(1 - std::log2(level)));
}

}  // namespace loopbench::bench
