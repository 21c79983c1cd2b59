// What is said on standard error, and whether somebody reads along on a terminal. Nobody listening there is
// no reason to fail, and fmt::print would throw.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "reports/columns.hpp"
#include "reports/terminal/screen.hpp"

namespace loopbench::bench {

/// As it is: for what is drawn.
inline void tell_raw(std::string_view text) {
    [[maybe_unused]] const auto written = std::fwrite(text.data(), 1, text.size(), stderr);
}

/// Names and reasons come from outside, and must not steer the terminal; the end of the last line is ours.
inline void tell(std::string_view text) {
    const bool ends_line = text.ends_with('\n');
    if (ends_line) text.remove_suffix(1);
    tell_raw(reports::printable(text) + (ends_line ? "\n" : ""));
}

template <class... part>
requires(sizeof...(part) > 0) void tell(fmt::format_string<part...> text, part&&... parts) {
    tell(fmt::format(text, std::forward<part>(parts)...));
}

inline void tell(const reports::warning& of) {
    tell("loopbench: warning: {}; {}\n", of.message, of.remedy);
}

/// Empty when it is not set.
inline std::string_view environment_text(const char* name) {
    const char* const found =
        std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody changes the environment
    return found != nullptr ? found : "";
}

/// Whether the descriptor is a terminal that obeys escape sequences.
inline bool is_terminal(int descriptor) {
    const auto kind = environment_text("TERM");
    return ::isatty(descriptor) == 1 && !kind.empty() && kind != "dumb";
}

/// Of standard output: NO_COLOR (no-color.org) set to anything turns them off.
inline reports::colours colours_of_output() {
    return is_terminal(STDOUT_FILENO) && environment_text("NO_COLOR").empty() ? reports::colours::on
                                                                              : reports::colours::off;
}

}  // namespace loopbench::bench
