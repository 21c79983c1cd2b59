#include "bench/harness/statistics/layout.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "bench/harness/statistics/median.hpp"

namespace loopbench::bench {

namespace {

constexpr std::size_t contrasts_max = 2000, fewest_in_common = 6;

/// Returns the limit of a contrast that no other contrast confirms: three robust standard deviations.
double furthest_alone(std::span<const layout_contrast> contrasts) {
    constexpr double deviations = 3, of_a_normal_distribution = 1.4826;
    std::vector<double> sizes;
    for (const auto& item : contrasts) sizes.push_back(std::abs(item.log_ratio));
    return deviations * of_a_normal_distribution * median_of(sizes);
}

double in_common(const layout_contrast& one, const layout_contrast& other) {
    const auto is = [](std::size_t layout, std::size_t same) { return layout == same ? 1.0 : 0.0; };
    return is(one.faster, other.faster) + is(one.slower, other.slower) - is(one.faster, other.slower) -
           is(one.slower, other.faster);
}

/// Returns the product of two contrasts that share a layout. Beyond the limit, a contrast counts only up to
/// twice the other one.
double product(double one, double other, double limit) {
    const double most = std::max(limit, 2 * std::min(std::abs(one), std::abs(other)));
    return std::clamp(one, -most, most) * std::clamp(other, -most, most);
}

}  // namespace

std::optional<double> layout_deviation(std::span<const layout_contrast> contrasts) {
    const auto all = contrasts.first(std::min(contrasts.size(), contrasts_max));
    if (all.empty()) return std::nullopt;
    const double limit = furthest_alone(all);
    double products = 0, squares = 0;
    std::size_t found = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t k = 0; k < i; ++k) {
            const double c = in_common(all[i], all[k]);
            if (c == 0 || all[i].block == all[k].block) continue;
            products += c * product(all[i].log_ratio, all[k].log_ratio, limit);
            squares += c * c;
            ++found;
        }
    if (found < fewest_in_common) return std::nullopt;
    return std::sqrt(std::max(products / squares, 0.0));
}

}  // namespace loopbench::bench
