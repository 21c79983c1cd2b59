// Percentages on the command line: "2" or "2%".
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

namespace loopbench::bench {

/// Takes the sign away and checks the range.
inline CLI::Validator takes_percent(double least, double most) {
    return CLI::Validator{[least, most](std::string& text) -> std::string {
                              if (text.ends_with('%')) text.pop_back();
                              double value = 0;
                              if (CLI::detail::lexical_cast(text, value) && value >= least && value <= most)
                                  return {};
                              return fmt::format("{} is not a percentage from {:g} to {:g}", text, least,
                                                 most);
                          },
                          ""};
}

}  // namespace loopbench::bench
