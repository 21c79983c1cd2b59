// Error with a formatted text: it says which thing failed, why, and what to do.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace loopbench::reports {

/// Base of errors. what() is `text` itself or, with parts, the output of fmt::format().
class formatted_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
    template <class... part>
    requires(sizeof...(part) > 0) explicit formatted_error(fmt::format_string<part...> text, part&&... parts)
        : std::runtime_error{fmt::format(text, std::forward<part>(parts)...)} {}
};

}  // namespace loopbench::reports
