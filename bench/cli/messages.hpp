// What is said on standard error. Nobody listening there is no reason to fail, and fmt::print would throw.
#pragma once

#include <cstdio>
#include <string_view>

#include "reports/columns.hpp"

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

}  // namespace loopbench::bench
