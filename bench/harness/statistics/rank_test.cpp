#include "bench/harness/statistics/rank_test.hpp"

#include <algorithm>
#include <bit>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

namespace loopbench::bench {

namespace {

constexpr std::size_t exact_max = 20;

/// Returns the distribution of U for samples of m and n values without ties. Computes counts(m, n, u) =
/// counts(m - 1, n, u - n) + counts(m, n - 1, u) row by row (Mann and Whitney's recurrence). Uses
/// probabilities instead of counts, because counts would overflow.
std::vector<double> distribution_of_u(std::size_t m, std::size_t n) {
    std::vector<std::vector<double>> row(n + 1, std::vector<double>{1.0});  // for m = 0, U is always 0
    for (std::size_t i = 1; i <= m; ++i) {
        std::vector<std::vector<double>> next(n + 1);
        next[0] = {1.0};
        for (std::size_t j = 1; j <= n; ++j) {
            next[j].assign(i * j + 1, 0.0);
            const double from_first = static_cast<double>(i) / static_cast<double>(i + j);
            for (std::size_t u = 0; u < row[j].size(); ++u) next[j][u + j] += from_first * row[j][u];
            for (std::size_t u = 0; u < next[j - 1].size(); ++u)
                next[j][u] += (1 - from_first) * next[j - 1][u];
        }
        row = std::move(next);
    }
    return row[n];
}

struct u_statistic {
    double value = 0;  // counts pairs in which the second value is larger; a tie counts half
    double variance = 0;
    bool ties = false;
};

u_statistic u_of(std::span<const double> first, std::span<const double> second) {
    std::vector<double> all(first.begin(), first.end()), others(second.begin(), second.end());
    all.insert(all.end(), second.begin(), second.end());
    std::ranges::sort(all);
    std::ranges::sort(others);
    u_statistic u;
    for (const double a : first) {
        const auto equal = std::ranges::equal_range(others, a);
        u.value += static_cast<double>(others.end() - equal.end()) + static_cast<double>(equal.size()) / 2;
    }
    double tied = 0;
    for (auto group = all.begin(); group != all.end();) {
        const auto end = std::upper_bound(group, all.end(), *group);
        const auto size = static_cast<double>(end - group);
        tied += size * size * size - size;
        u.ties = u.ties || size > 1;
        group = end;
    }
    const auto m = static_cast<double>(first.size()), n = static_cast<double>(second.size()), total = m + n;
    u.variance = m * n / 12 * (total + 1 - tied / (total * (total - 1)));
    return u;
}

bool is_small(std::span<const double> first, std::span<const double> second) {
    return first.size() <= exact_max && second.size() <= exact_max;
}

std::size_t rank_of_interval(std::span<const double> first, std::span<const double> second, double tail) {
    if (is_small(first, second)) {
        const auto probabilities = distribution_of_u(first.size(), second.size());
        double below = 0;
        std::size_t c = 0;
        while (c < probabilities.size() && below + probabilities[c] <= tail) below += probabilities[c++];
        return c;
    }
    const auto m = static_cast<double>(first.size()), n = static_cast<double>(second.size());
    const double z = quantile(boost::math::normal_distribution<double>{}, tail);
    return static_cast<std::size_t>(
        std::max(0.0, std::floor(m * n / 2 + z * std::sqrt(m * n * (m + n + 1) / 12))));
}

/// All differences b - a of two samples in ascending order. They are computed on demand, because the two
/// halves of a long run have billions of differences.
class pairwise_differences {
public:
    pairwise_differences(std::span<const double> from, std::span<const double> to)
        : from_(from.begin(), from.end()), to_(to.begin(), to.end()) {
        std::ranges::sort(from_);
        std::ranges::sort(to_);
    }

    [[nodiscard]] std::size_t size() const { return from_.size() * to_.size(); }

    /// Returns the smallest double v such that more than `place` differences are at most v. Finds v by
    /// bisection over all doubles; key() maps them to integers in the same order.
    [[nodiscard]] double operator[](std::size_t place) const {
        auto low = key(to_.front() - from_.back()), high = key(to_.back() - from_.front());
        while (low < high) {
            const auto middle = low + (high - low) / 2;
            if (up_to(value(middle)) > place)
                high = middle;
            else
                low = middle + 1;
        }
        return value(low) + 0.0;  // converts -0, the difference of equal values, to +0
    }

    [[nodiscard]] double median() const {
        const auto n = size();
        return n % 2 == 1 ? (*this)[n / 2] : ((*this)[n / 2 - 1] + (*this)[n / 2]) / 2;
    }

private:
    std::vector<double> from_, to_;

    static constexpr std::uint64_t sign = std::uint64_t{1} << 63U;
    static std::uint64_t key(double of) {
        const auto bits = std::bit_cast<std::uint64_t>(of);
        return (bits & sign) != 0 ? ~bits : bits | sign;
    }
    static double value(std::uint64_t of) {
        return std::bit_cast<double>((of & sign) != 0 ? of & ~sign : ~of);
    }

    /// Returns the number of differences that are at most `most`. Relies on the order of the differences:
    /// even rounded differences never fall when b grows, and never grow when a grows.
    [[nodiscard]] std::size_t up_to(double most) const {
        std::size_t count = 0, reached = 0;
        for (const double a : from_) {
            while (reached < to_.size() && to_[reached] - a <= most) ++reached;
            count += reached;
        }
        return count;
    }
};

}  // namespace

double mann_whitney(std::span<const double> first, std::span<const double> second) {
    const auto u = u_of(first, second);
    const double middle = static_cast<double>(first.size() * second.size()) / 2;
    const double distance = std::abs(u.value - middle);
    if (!u.ties && is_small(first, second)) {
        const auto probabilities = distribution_of_u(first.size(), second.size());
        double p = 0;
        for (std::size_t i = 0; i < probabilities.size(); ++i)
            if (std::abs(static_cast<double>(i) - middle) >= distance) p += probabilities[i];
        return std::min(p, 1.0);
    }
    if (u.variance <= 0) return 1;
    constexpr double continuity = 0.5;
    const double z = std::max(0.0, distance - continuity) / std::sqrt(u.variance);
    return std::min(1.0, 2 * cdf(complement(boost::math::normal_distribution<double>{}, z)));
}

estimate shift_between(std::span<const double> first, std::span<const double> second, double level) {
    const pairwise_differences differences{first, second};
    estimate found{differences.median(), {}, {}};
    const auto c = rank_of_interval(first, second, (1 - level) / 2);
    if (c > 0) {
        found.low = differences[c - 1];
        found.high = differences[differences.size() - c];
    }
    return found;
}

}  // namespace loopbench::bench
