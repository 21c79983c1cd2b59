// Writes messages to standard error, and detects terminals. Ignores failed writes of messages; fmt::print
// would throw an exception.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "reports/render/columns.hpp"
#include "reports/render/terminal/screen.hpp"

namespace loopbench::bench {

/// Writes the text to standard error unchanged, including escape sequences.
inline void tell_raw(std::string_view text) {
    [[maybe_unused]] const auto written = std::fwrite(text.data(), 1, text.size(), stderr);
}

/// Writes the text to standard error without control characters, except a final newline. The text can contain
/// names and reasons from other programs and files, which must not control the terminal.
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

/// Returns the value of the environment variable, or an empty text if the variable is not set.
inline std::string_view environment_text(const char* name) {
    const char* const found =
        std::getenv(name);  // NOLINT(concurrency-mt-unsafe): the environment never changes
    return found != nullptr ? found : "";
}

/// Returns true if the descriptor is a terminal that understands escape sequences.
inline bool is_terminal(int descriptor) {
    const auto kind = environment_text("TERM");
    return ::isatty(descriptor) == 1 && !kind.empty() && kind != "dumb";
}

/// Returns `on` if standard output is a terminal and the variable NO_COLOR is empty or not set
/// (no-color.org).
inline reports::colours colours_of_output() {
    return is_terminal(STDOUT_FILENO) && environment_text("NO_COLOR").empty() ? reports::colours::on
                                                                              : reports::colours::off;
}

}  // namespace loopbench::bench
