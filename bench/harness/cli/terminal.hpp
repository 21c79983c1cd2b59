// The functions that print messages ignore failed writes to standard error, on which fmt::print would throw
// an exception.
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

inline void tell_raw(std::string_view text) {
    [[maybe_unused]] const auto written = std::fwrite(text.data(), 1, text.size(), stderr);
}

/// Writes the text without control characters, because names and reasons from other programs and files must
/// not control the terminal.
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

inline std::string_view environment_text(const char* name) {
    const char* const found =
        std::getenv(name);  // NOLINT(concurrency-mt-unsafe): the environment never changes
    return found != nullptr ? found : "";
}

inline bool is_terminal(int descriptor) {
    const auto kind = environment_text("TERM");
    return ::isatty(descriptor) == 1 && !kind.empty() && kind != "dumb";
}

/// Returns `on` if standard output is a terminal and the variable NO_COLOR (no-color.org) is empty.
inline reports::colours colours_of_output() {
    return is_terminal(STDOUT_FILENO) && environment_text("NO_COLOR").empty() ? reports::colours::on
                                                                              : reports::colours::off;
}

}  // namespace loopbench::bench
