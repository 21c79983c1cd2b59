// Reads characters of UTF-8 text with utf8proc. Names can be in any script and contain any characters.
#pragma once

#include <cstddef>
#include <string_view>

namespace loopbench::reports {

struct character {
    std::size_t bytes = 1;
    std::size_t columns = 1;  // the number of terminal columns
    bool is_printable =
        false;  // false for control and format characters (for example of text direction), surrogates and
                // invalid bytes
};

/// Returns the first character of `text`, which must not be empty. If the first byte is invalid, returns a
/// character that is not printable.
character character_at(std::string_view text);

}  // namespace loopbench::reports
