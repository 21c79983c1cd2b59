#include "bench/suite/recording/histogram.hpp"

#include <cmath>

namespace loopbench::bench {

std::uint64_t nearest_rank(double percent, std::uint64_t count) noexcept {
    // The multiplication comes before the division, because rounding errors matter here. 99.9 * 1000 / 100 is
    // exactly 999, but 99.9 / 100 * 1000 is slightly more than 999, so its ceiling is 1000.
    const double rank = std::ceil(std::clamp(percent, 0.0, 100.0) * static_cast<double>(count) / 100.0);
    return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(rank), 1, std::max<std::uint64_t>(count, 1));
}

std::int64_t histogram::width_of(std::size_t counter) noexcept {
    const std::size_t row = counter >> precision_bits;
    return std::int64_t{1} << (row <= 1 ? 0 : row - 1);
}

std::int64_t histogram::lowest_of(std::size_t counter) noexcept {
    const std::size_t row = counter >> precision_bits;
    const std::uint64_t shift = row <= 1 ? 0 : row - 1;
    return static_cast<std::int64_t>((counter - (shift << precision_bits)) << shift);
}

std::int64_t histogram::value_at_rank_ns(std::uint64_t rank) const noexcept {
    std::uint64_t seen = 0;
    for (std::size_t counter = 0; counter < counters_.size(); ++counter) {
        seen += counters_[counter];
        if (seen >= rank && seen > 0)
            return std::clamp(lowest_of(counter) + width_of(counter) / 2, min_ns_, max_ns_);
    }
    return max_ns();
}

std::int64_t histogram::percentile_ns(double percent) const noexcept {
    return value_at_rank_ns(nearest_rank(percent, count_));
}

double signed_histogram::mean_ns() const noexcept {
    if (count() == 0) return 0;
    const auto early = static_cast<double>(early_.count());
    const auto late = static_cast<double>(late_.count());
    return (late_.mean_ns() * late - early_.mean_ns() * early) / (late + early);
}

std::int64_t signed_histogram::percentile_ns(double percent) const noexcept {
    const std::uint64_t rank = nearest_rank(percent, count());
    if (rank > early_.count()) return late_.value_at_rank_ns(rank - early_.count());
    return -early_.value_at_rank_ns(early_.count() - rank + 1);
}

}  // namespace loopbench::bench
