// Whether somebody reads along on a terminal, and what it can do.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "reports/terminal/screen.hpp"

namespace loopbench::bench {

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
