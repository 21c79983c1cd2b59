#pragma once

#include <cstddef>
#include <string_view>

namespace loopbench::reports {

struct character {
    std::size_t bytes = 1;
    std::size_t columns = 1;
    bool is_printable = false;  // false for control and format characters, surrogates and invalid bytes
};

/// Reads the first character of `text`, which must not be empty. An invalid first byte becomes a character
/// that is not printable.
character character_at(std::string_view text);

}  // namespace loopbench::reports
