#include "bench/harness/statistics/correction.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace loopbench::bench {

namespace {

std::vector<std::size_t> ascending(std::span<const double> values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair{values[i], i}; });
    return order;
}

/// Returns p-values that are adjusted by Holm's method. For the i-th smallest of m p-values, the adjusted
/// value is the maximum of (m - j + 1) p_(j) over all j <= i, but at most 1.
std::vector<double> holm(std::span<const double> p_values) {
    std::vector<double> result(p_values.size());
    double largest = 0;
    auto left = static_cast<double>(p_values.size());
    for (const auto i : ascending(p_values)) {
        largest = std::max(largest, std::min(left * p_values[i], 1.0));
        result[i] = largest;
        --left;
    }
    return result;
}

/// Returns p-values that are adjusted by Benjamini and Hochberg's method. For the i-th smallest of m
/// p-values, the adjusted value is the minimum of (m / j) p_(j) over all j >= i.
std::vector<double> benjamini_hochberg(std::span<const double> p_values) {
    std::vector<double> result(p_values.size());
    const auto count = static_cast<double>(p_values.size());
    auto order = ascending(p_values);
    std::ranges::reverse(order);
    double smallest = 1, rank = count;
    for (const auto i : order) {
        smallest = std::min(smallest, count / rank * p_values[i]);
        result[i] = smallest;
        --rank;
    }
    return result;
}

}  // namespace

std::vector<double> adjusted(std::span<const double> p_values, correction how) {
    return how == correction::holm ? holm(p_values) : benjamini_hochberg(p_values);
}

double level_for_one_more(std::size_t found, std::size_t count, double alpha, correction how) {
    const auto all = static_cast<double>(count), others = static_cast<double>(std::min(found, count - 1));
    return how == correction::holm ? alpha / (all - others) : alpha * (others + 1) / all;
}

}  // namespace loopbench::bench
