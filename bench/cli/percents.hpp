// Percentages on the command line: "2" or "2%".
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <utility>

namespace loopbench::bench {

/// Turns an option's text into a percentage and checks that it is within the range.
inline void takes_percent(CLI::Option* option, double least, double most) {
    const auto without_sign = [least, most](std::string& text) -> std::string {
        auto digits = text;
        if (digits.ends_with('%')) digits.pop_back();
        double value = 0;
        if (!CLI::detail::lexical_cast(digits, value) || !(value >= least && value <= most))
            return fmt::format("{} is not a percentage from {:g} to {:g}", text, least, most);
        text = std::move(digits);
        return {};
    };
    option->type_name("PCT");
    option->transform(CLI::Validator{without_sign, ""});  // a check() could not take the sign away
}

}  // namespace loopbench::bench
