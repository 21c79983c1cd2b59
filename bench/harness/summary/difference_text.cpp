#include "bench/harness/summary/difference_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "reports/render/columns.hpp"

namespace loopbench::bench {

namespace {

std::string interval_text(std::optional<double> low, std::optional<double> high, std::string_view unit,
                          std::string (*text)(double)) {
    return low && high ? fmt::format(" ({} to {}{})", text(*low), text(*high), unit) : "";
}

std::string pct_text(double factor) {
    return reports::fixed_point(100 * (factor - 1), 1);
}

std::string in_unit(std::string_view unit, double value) {
    return unit == "ns" ? reports::human_time(value)
                        : fmt::format("{} {}", reports::three_digits(value), unit);
}

struct factor {
    estimate size;
    std::string_view twice_as, comparative;  // "slow" and "slower"

    factor(std::string_view metric, const estimate& ratio) : size{ratio} {
        const bool is_time = metric == "time", is_worse = ratio.median < 1;
        twice_as = is_time ? (is_worse ? "slow" : "fast") : (is_worse ? "bad" : "good");
        comparative = is_time ? (is_worse ? "slower" : "faster") : (is_worse ? "worse" : "better");
        if (!is_worse) return;
        const auto inverse = [](std::optional<double> value) {
            return value ? std::optional{1 / *value} : value;
        };
        size = {1 / ratio.median, inverse(ratio.high), inverse(ratio.low)};
    }

    [[nodiscard]] bool is_percentage() const {
        constexpr double twice = 2;
        return size.median < twice;
    }
};

}  // namespace

std::string times_text(double value) {
    constexpr double large = 100, longest = 1e6;
    if (value > longest) return "over 1,000,000";
    if (value < large) return fmt::format("{:.1f}", value);
    auto text = fmt::format("{:.0f}", value);
    constexpr std::size_t group = 3;
    for (auto at = text.size(); at > group;) text.insert(at -= group, ",");
    return text;
}

std::string ratio_digits(double ratio) {
    constexpr double small = 0.01, large = 10;
    if (ratio >= large) return times_text(ratio);
    if (ratio >= small || ratio <= 0) return reports::fixed_point(ratio, 3);
    return fmt::format("{:.{}f}", ratio, 1 - static_cast<int>(std::floor(std::log10(ratio))));
}

std::string difference_text(std::string_view metric, const estimate& ratio, std::string_view to) {
    const factor found{metric, ratio};
    const auto& [median, low, high] = found.size;
    if (found.is_percentage())
        return fmt::format("{} % {} than {}{}", pct_text(median), found.comparative, to,
                           interval_text(low, high, " %", pct_text));
    return fmt::format("{} times as {} as {}{}", times_text(median), found.twice_as, to,
                       interval_text(low, high, " times", times_text));
}

std::string brief_difference(std::string_view metric, const estimate& ratio) {
    const factor found{metric, ratio};
    const auto& [median, low, high] = found.size;
    if (found.is_percentage())
        return fmt::format("{} by {} %{}", found.comparative, pct_text(median),
                           interval_text(low, high, "", pct_text));
    return fmt::format("{} times as {}{}", times_text(median), found.twice_as,
                       interval_text(low, high, "", times_text));
}

std::string distance_text(std::string_view unit, const reports::difference& difference) {
    const bool is_further = difference.median >= 0;
    const double sign = is_further ? 1 : -1;
    auto low = difference.low, high = difference.high;
    if (!is_further) std::swap(low, high);
    const auto interval =
        low && high ? fmt::format(" ({} to {})", in_unit(unit, sign * *low), in_unit(unit, sign * *high))
                    : "";
    return fmt::format("{} {} zero than {}{}", in_unit(unit, sign * difference.median),
                       is_further ? "further from" : "closer to", difference.to, interval);
}

}  // namespace loopbench::bench
