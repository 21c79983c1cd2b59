#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/machine/environment.hpp"
#include "bench/harness/trial/interleaving.hpp"

namespace loopbench::bench {

/// Makes the option accept durations from 1 ms to one week, and converts the value to seconds. Valid values
/// are, for example, "500ms", "55s", "30min" and "1h". A number without a unit means seconds.
inline void takes_duration(CLI::Option* option) {
    const std::map<std::string, double> units{{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}};
    constexpr double shortest_s = 1e-3, longest_s = 7 * 24 * 3600.0;
    const auto within_limits = [](const std::string& text) -> std::string {
        double seconds = 0;
        if (CLI::detail::lexical_cast(text, seconds) && seconds >= shortest_s && seconds <= longest_s)
            return {};
        return text + " s is out of range; expected 1 ms to 1 week";
    };
    option->type_name("DURATION");
    // CLI11 runs the validators in reverse order. Therefore the conversion, which is added after this check,
    // runs before it.
    option->check(CLI::Validator{within_limits, ""});
    option->transform(CLI::AsNumberWithUnit(units, CLI::AsNumberWithUnit::DEFAULT, "").description(""));
}

inline std::chrono::nanoseconds from_seconds(double seconds) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>{seconds});
}

/// Parses UNTIMED+TIMED. Each part is a number of milliseconds up to 1000, with at most three decimal places.
inline std::optional<slice_lengths> slice_lengths_in(const std::string& text) {
    const auto plus = text.find('+');
    if (plus == std::string::npos) return std::nullopt;
    const auto part_in = [](std::string digits) -> std::optional<std::chrono::nanoseconds> {
        double ms = 0;
        if (digits.ends_with("ms")) digits.erase(digits.size() - 2);
        if (!CLI::detail::lexical_cast(digits, ms) || !(ms >= 0 && ms <= 1000)) return std::nullopt;
        return std::chrono::microseconds{std::llround(ms * 1000)};
    };
    const auto untimed = part_in(text.substr(0, plus)), timed = part_in(text.substr(plus + 1));
    if (!untimed || !timed || *timed <= timed->zero()) return std::nullopt;
    return slice_lengths{*untimed, *timed};
}

inline void takes_percent(CLI::Option* option, double least, double most) {
    const auto without_sign = [least, most](std::string& text) -> std::string {
        auto digits = text;
        if (digits.ends_with('%')) digits.pop_back();
        double value = 0;
        if (!CLI::detail::lexical_cast(digits, value) || !(value >= least && value <= most))
            return fmt::format("'{}' is not valid; expected a percentage from {:g} to {:g}", text, least,
                               most);
        text = std::move(digits);
        return {};
    };
    option->type_name("PCT");
    option->transform(CLI::Validator{without_sign, ""});  // only a transform() can remove the percent sign
}

inline bool takes_a_value(const CLI::Option& option) {
    return option.get_items_expected_max() > 0;
}

inline CLI::Option* takes_one_of(CLI::Option* option, const std::vector<std::string>& words) {
    return option->type_name(fmt::format("{}", fmt::join(words, "|")))
        ->check(CLI::IsMember(words).description(""));
}

/// Makes the option refuse a path that begins with "=". Otherwise `-o=x` would mean the path "=x".
inline void takes_path(CLI::Option* option) {
    const auto problem = [](const std::string& text) -> std::string {
        if (text.empty()) return "the path is empty; leave the option out, or give a path";
        if (text.front() == '=')
            return "a short option takes its value without \"=\"; write -o " + text.substr(1) + ", or ./" +
                   text + " if the name of the file begins with \"=\"";
        return {};
    };
    option->check(CLI::Validator{problem, ""});
}

inline std::string cpu_problem(const std::string& text) {
    const auto allowed = allowed_cpus();
    if (allowed.empty()) return "the CPUs of this process are unknown; leave --pin out";
    int cpu = -1;
    if (!CLI::detail::lexical_cast(text, cpu) || std::ranges::find(allowed, cpu) == allowed.end())
        return fmt::format("this process cannot run on CPU {}, only on {}", text, fmt::join(allowed, ","));
    return {};
}

inline void takes_cpu(CLI::Option* option) {
    option->type_name("CPU")->check(
        CLI::Validator{[](const std::string& text) { return cpu_problem(text); }, ""});
}

}  // namespace loopbench::bench
