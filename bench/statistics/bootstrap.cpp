// Efron's formulas term by term, so that they can be held against the book that the header names.
#include "bench/statistics/bootstrap.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <vector>

#include "bench/statistics/median.hpp"

namespace loopbench::bench {

namespace {

using normal = boost::math::normal_distribution<double>;

constexpr double negligible = 1e-12;

double acceleration(std::span<const double> left_out) {
    double mean = 0, squares = 0, cubes = 0;
    for (const double value : left_out) mean += value / static_cast<double>(left_out.size());
    for (const double value : left_out) {
        const double d = mean - value;
        squares += d * d;
        cubes += d * d * d;
    }
    return squares > 0 ? cubes / (6 * std::pow(squares, 1.5)) : 0;
}

std::vector<double> medians_with_one_left_out(std::span<const double> sorted) {
    std::vector<double> medians;
    const auto n = sorted.size();
    // What is left has n - 1 samples; those from the one left out on move down by one.
    const auto left = [&](std::size_t place, std::size_t out) {
        return sorted[place < out ? place : place + 1];
    };
    for (std::size_t out = 0; out < n; ++out)
        medians.push_back((left((n - 2) / 2, out) + left((n - 1) / 2, out)) / 2);
    return medians;
}

/// A value of the median, and how likely it is.
struct atom {
    double value, probability;
};

/// P(at least k of n draws are among the i smallest samples)
double at_least(double k, double n, double i) {
    return boost::math::ibeta(k, n - k + 1, i / n);
}

std::vector<atom> odd_median(std::span<const double> sorted) {
    const auto n = static_cast<double>(sorted.size()), k = (n + 1) / 2;
    std::vector<atom> atoms;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        const auto place = static_cast<double>(i);
        atoms.push_back({sorted[i], at_least(k, n, place + 1) - at_least(k, n, place)});
    }
    return atoms;
}

std::vector<atom> even_median(std::span<const double> sorted) {
    const auto n = static_cast<double>(sorted.size()), h = n / 2;
    const double choose = std::exp((std::lgamma(n + 1) - 2 * std::lgamma(h + 1)) / h);  // C(n, h)^(1/h)
    std::vector<atom> atoms;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        const auto place = static_cast<double>(i + 1);
        double both = at_least(h, n, place) - at_least(h, n, place - 1);  // the lower one is x_i
        if (both < negligible) continue;
        for (auto j = i + 1; j < sorted.size(); ++j) {
            const auto above = n - static_cast<double>(j);  // as many samples are x_j or larger
            // The factors together are a probability; one by one they would leave a double's range.
            const double scaled = choose * place / n * above / n;
            const double p = std::pow(scaled, h) * (1 - std::pow((place - 1) / place, h)) *
                             (1 - std::pow((above - 1) / above, h));
            both -= p;
            atoms.push_back({(sorted[i] + sorted[j]) / 2, p});
            if (p < negligible * negligible) break;
        }
        atoms.push_back({sorted[i], std::max(both, 0.0)});
    }
    return atoms;
}

double share_below(std::span<const atom> atoms, double value) {
    double share = 0;
    for (const auto& [at, probability] : atoms)
        share += at < value ? probability : at == value ? probability / 2 : 0;
    return share;
}

double quantile_of(std::span<const atom> sorted, double share) {
    double reached = 0;
    for (const auto& [value, probability] : sorted)
        if ((reached += probability) >= share) return value;
    return sorted.back().value;
}

}  // namespace

std::pair<double, double> bca_shares(double share_below, std::span<const double> left_out, double level) {
    const double z0 = quantile(normal{}, share_below), a = acceleration(left_out);
    const auto end = [&](double z) { return cdf(normal{}, z0 + (z0 + z) / (1 - a * (z0 + z))); };
    const double z = quantile(normal{}, (1 + level) / 2);
    return {end(-z), end(z)};
}

std::pair<double, double> bca_median_interval(std::span<const double> samples, double level) {
    std::vector<double> sorted(samples.begin(), samples.end());
    std::ranges::sort(sorted);
    auto atoms = sorted.size() % 2 == 1 ? odd_median(sorted) : even_median(sorted);
    std::ranges::sort(atoms, {}, &atom::value);
    const double share = std::clamp(share_below(atoms, median_of(sorted)), negligible, 1 - negligible);
    const auto [low, high] = bca_shares(share, medians_with_one_left_out(sorted), level);
    return {quantile_of(atoms, low), quantile_of(atoms, high)};
}

}  // namespace loopbench::bench
