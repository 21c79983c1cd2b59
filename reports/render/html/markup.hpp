#pragma once

#include <string>
#include <string_view>

#include "reports/render/columns.hpp"

namespace loopbench::reports {

/// Returns the text as it is written between the tags of HTML and SVG, and in attributes.
inline std::string in_markup(std::string_view text) {
    return escaped(text, {{'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'"', "&quot;"}});
}

}  // namespace loopbench::reports
