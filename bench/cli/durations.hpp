// Durations on the command line: "500ms", "55s", "30min", "1h"; a bare number is seconds.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <map>
#include <string>

namespace loopbench::bench {

/// Turns an option's text into seconds and checks that they are within a week.
inline void takes_duration(CLI::Option* option) {
    const std::map<std::string, double> units{{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}};
    constexpr double shortest_s = 1e-3, longest_s = 7 * 24 * 3600.0;
    const auto within_limits = [](const std::string& text) -> std::string {
        double seconds = 0;
        if (CLI::detail::lexical_cast(text, seconds) && seconds >= shortest_s && seconds <= longest_s)
            return {};
        return text + " s is not from 1 ms to a week";
    };
    option->type_name("DURATION");
    // CLI11 runs the last one added first.
    option->check(CLI::Validator{within_limits, ""});
    option->transform(CLI::AsNumberWithUnit(units, CLI::AsNumberWithUnit::DEFAULT, "").description(""));
}

inline std::chrono::nanoseconds from_seconds(double seconds) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>{seconds});
}

}  // namespace loopbench::bench
