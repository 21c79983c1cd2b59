#include "bench/harness/counting/slope.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>

namespace loopbench::bench {

namespace {

slope between(std::size_t processes, std::size_t few, std::size_t many, double more_operations,
              bool set_up_included) {
    slope found{std::vector<double>(processes), set_up_included};
    found.weights[many] = 1 / more_operations;
    found.weights[few] = -1 / more_operations;
    return found;
}

/// Returns the slope between two processes with equal batches. Their operations must differ by at least a
/// quarter of the largest difference, because the slope would otherwise be inaccurate.
std::optional<slope> slope_of_equal_batches(std::span<const work_of_process> all, double widest) {
    constexpr double wide_enough = 0.25;
    std::optional<slope> found;
    double most = wide_enough * widest;
    for (std::size_t few = 0; few < all.size(); ++few)
        for (std::size_t many = 0; many < all.size(); ++many) {
            const double more = all[many].operations - all[few].operations;
            if (all[few].batches != all[many].batches || more <= 0 || more < most) continue;
            most = more;
            found = between(all.size(), few, many, more, false);
        }
    return found;
}

/// Returns the solution for the first process and the last two, by Cramer's rule.
std::optional<slope> slope_of_three(std::span<const work_of_process> all) {
    if (all.size() < 3) return std::nullopt;
    const std::array<std::size_t, 3> places{0, all.size() - 2, all.size() - 1};
    const auto more = [&](std::size_t i) {
        return work_of_process{all[places[i]].operations - all[0].operations,
                               all[places[i]].batches - all[0].batches};
    };
    const auto [operations_1, batches_1] = more(1);
    const auto [operations_2, batches_2] = more(2);
    const double determinant = batches_1 * operations_2 - batches_2 * operations_1;
    constexpr double nearly_zero = 0.05;
    const double size = std::abs(batches_1 * operations_2) + std::abs(batches_2 * operations_1);
    if (!(std::abs(determinant) > nearly_zero * size)) return std::nullopt;
    slope found{std::vector<double>(all.size()), false};
    found.weights[places[1]] = -batches_2 / determinant;
    found.weights[places[2]] = batches_1 / determinant;
    found.weights[0] = -found.weights[places[1]] - found.weights[places[2]];
    return found;
}

}  // namespace

work_of_process work_in_log(std::string_view log, int threads) {
    constexpr std::string_view begin = "LOG(2): Running ", middle = " for ";
    work_of_process work;
    while (!log.empty()) {
        const auto end = std::min(log.find('\n'), log.size());
        const auto line = log.substr(0, end);
        log.remove_prefix(std::min(end + 1, log.size()));
        const auto at = line.rfind(middle);
        if (line.find(begin) == std::string_view::npos || at == std::string_view::npos) continue;
        std::uint64_t iterations = 0;
        std::from_chars(line.data() + at + middle.size(), line.data() + line.size(), iterations);
        if (iterations == 0) continue;
        work.operations += static_cast<double>(iterations) * threads;
        ++work.batches;
    }
    return work;
}

double slope::of(std::span<const double> counts) const {
    return std::inner_product(weights.begin(), weights.end(), counts.begin(), 0.0);
}

double slope::variance_of(std::span<const double> counts) const {
    return std::inner_product(weights.begin(), weights.end(), counts.begin(), 0.0, std::plus{},
                              [](double weight, double count) { return weight * weight * count; });
}

double slope::per_event() const {
    return std::accumulate(weights.begin(), weights.end(), 0.0,
                           [](double most, double weight) { return std::max(most, std::abs(weight)); });
}

std::optional<slope> slope_of(std::span<const work_of_process> all) {
    if (all.empty()) return std::nullopt;
    const auto few = std::ranges::min_element(all, {}, &work_of_process::operations),
               many = std::ranges::max_element(all, {}, &work_of_process::operations);
    const double widest = many->operations - few->operations;
    if (!(widest > 0)) return std::nullopt;
    if (auto found = slope_of_equal_batches(all, widest)) return found;
    if (auto found = slope_of_three(all)) return found;
    return between(all.size(), static_cast<std::size_t>(few - all.begin()),
                   static_cast<std::size_t>(many - all.begin()), widest, true);
}

}  // namespace loopbench::bench
