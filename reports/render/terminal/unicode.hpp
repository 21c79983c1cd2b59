// Characters of UTF-8, by utf8proc: names come from outside, and in any script.
#pragma once

#include <cstddef>
#include <string_view>

namespace loopbench::reports {

struct character {
    std::size_t bytes = 1;
    std::size_t columns = 1;  // of a terminal
    bool is_printable =
        false;  // false for control and format characters (for example of text direction), surrogates and
                // invalid bytes
};

/// Returns the first character of `text`, which must not be empty; for an invalid byte, one that is not
/// printable.
character character_at(std::string_view text);

}  // namespace loopbench::reports
