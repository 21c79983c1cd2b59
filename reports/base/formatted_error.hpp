#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace loopbench::reports {

/// The base class of errors. what() returns `text`, or fmt::format(text, parts...) if `parts` are given.
class formatted_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
    template <class... part>
    requires(sizeof...(part) > 0) explicit formatted_error(fmt::format_string<part...> text, part&&... parts)
        : std::runtime_error{fmt::format(text, std::forward<part>(parts)...)} {}
};

}  // namespace loopbench::reports
