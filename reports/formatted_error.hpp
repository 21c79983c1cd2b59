// An error says which thing, why, and what to do: its text has parts.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace loopbench::reports {

/// what() is `text` as it is or, with parts, what fmt::format() makes of both.
class formatted_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
    template <class... part>
    requires(sizeof...(part) > 0) explicit formatted_error(fmt::format_string<part...> text, part&&... parts)
        : std::runtime_error{fmt::format(text, std::forward<part>(parts)...)} {}
};

}  // namespace loopbench::reports
