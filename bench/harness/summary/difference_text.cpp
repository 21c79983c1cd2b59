#include "bench/harness/summary/difference_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "reports/render/columns.hpp"

namespace loopbench::bench {

namespace {

/// Formats a factor with one decimal. Formats factors of at least 100 without decimals, for example "3,178".
std::string times_text(double factor) {
    constexpr double large = 100, longest = 1e6;
    if (factor > longest) return "over 1,000,000";
    if (factor < large) return fmt::format("{:.1f}", factor);
    auto text = fmt::format("{:.0f}", factor);
    constexpr std::size_t group = 3;
    for (auto at = text.size(); at > group;) text.insert(at -= group, ",");
    return text;
}

std::string interval_text(std::optional<double> low, std::optional<double> high, std::string_view unit,
                          std::string (*text)(double)) {
    return low && high ? fmt::format(" ({} to {} {})", text(*low), text(*high), unit) : "";
}

std::string pct_text(double factor) {
    return reports::fixed_point(100 * (factor - 1), 1);
}

std::string in_unit(std::string_view unit, double value) {
    return unit == "ns" ? reports::human_time(value)
                        : fmt::format("{} {}", reports::three_digits(value), unit);
}

}  // namespace

std::string difference_text(std::string_view metric, const estimate& ratio, std::string_view to) {
    const bool is_time = metric == "time", is_worse = ratio.median < 1;
    const auto inverse = [](std::optional<double> value) {
        return value ? std::optional{1 / *value} : value;
    };
    const double factor = is_worse ? 1 / ratio.median : ratio.median;
    const auto low = is_worse ? inverse(ratio.high) : ratio.low;
    const auto high = is_worse ? inverse(ratio.low) : ratio.high;
    constexpr double twice = 2;
    if (factor >= twice) {
        const auto* const adjective = is_time ? (is_worse ? "slow" : "fast") : (is_worse ? "bad" : "good");
        return fmt::format("{} times as {} as {}{}", times_text(factor), adjective, to,
                           interval_text(low, high, "times", times_text));
    }
    const auto* const adjective =
        is_time ? (is_worse ? "slower" : "faster") : (is_worse ? "worse" : "better");
    return fmt::format("{} % {} than {}{}", pct_text(factor), adjective, to,
                       interval_text(low, high, "%", pct_text));
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
