#include "bench/harness/history/readers/units.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <string>
#include <utility>

namespace loopbench::bench {

namespace {

constexpr double microsecond = 1e3, millisecond = 1e6, second = 1e9;

constexpr std::array<std::pair<std::string_view, double>, 19> times{
    {{"ns", 1},
     {"nsec", 1},
     {"nanosecond", 1},
     {"nanoseconds", 1},
     {"us", microsecond},
     {"usec", microsecond},
     {"\xC2\xB5s", microsecond},  // MICRO SIGN
     {"\xCE\xBCs", microsecond},  // GREEK SMALL LETTER MU
     {"microsecond", microsecond},
     {"microseconds", microsecond},
     {"ms", millisecond},
     {"msec", millisecond},
     {"millisecond", millisecond},
     {"milliseconds", millisecond},
     {"s", second},
     {"sec", second},
     {"secs", second},
     {"second", second},
     {"seconds", second}}};

constexpr std::array<std::string_view, 12> operations{"op",        "ops",        "iter",      "iters",
                                                      "iteration", "iterations", "operation", "operations",
                                                      "run",       "runs",       "call",      "calls"};

bool is_operation(std::string_view word) {
    return std::ranges::find(operations, word) != operations.end();
}

std::optional<double> known_time(std::string_view word) {
    const auto* const found = std::ranges::find(times, word, &std::pair<std::string_view, double>::first);
    return found != times.end() ? std::optional{found->second} : std::nullopt;
}

std::string first_word_in_lower_case(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    std::string word{text.substr(0, text.find_first_of(blanks))};
    std::ranges::transform(word, word.begin(), [](unsigned char c) {
        return c < 0x80 ? static_cast<char>(std::tolower(c)) : static_cast<char>(c);
    });
    return word;
}

}  // namespace

std::optional<double> ns_in(std::string_view unit) {
    return known_time(first_word_in_lower_case(unit));
}

std::optional<metric_in_unit> metric_of_unit(std::string_view unit) {
    const auto word = first_word_in_lower_case(unit);
    const std::string_view whole{word};
    const auto slash = whole.find('/');
    const auto above = whole.substr(0, slash);
    const auto below = slash == std::string_view::npos ? std::string_view{} : whole.substr(slash + 1);
    if (const auto ns = known_time(above); ns && (slash == std::string_view::npos || is_operation(below)))
        return metric_in_unit{metric_named("time"), *ns};
    if (const auto ns = known_time(below); ns && is_operation(above))
        return metric_in_unit{metric_named("throughput"), second / *ns};
    return std::nullopt;
}

}  // namespace loopbench::bench
