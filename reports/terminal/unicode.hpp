// Characters of UTF-8, by utf8proc: names come from outside, and in any script.
#pragma once

#include <cstddef>
#include <string_view>

namespace loopbench::reports {

struct character {
    std::size_t bytes = 1;
    std::size_t columns = 1;  // of a terminal
    bool is_printable =
        false;  // neither a control or format character (of direction, for one) nor half of one, nor none
};

/// The first character of `text`, which is not empty; a byte that does not begin one is none of the
/// printable.
character character_at(std::string_view text);

}  // namespace loopbench::reports
