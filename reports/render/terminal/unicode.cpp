#include "reports/render/terminal/unicode.hpp"

#include <utf8proc.h>

namespace loopbench::reports {

namespace {

/// Returns true for Unicode's noncharacters, for example U+FFFE, which XML does not allow.
bool is_noncharacter(utf8proc_int32_t code) {
    return (code & 0xfffe) == 0xfffe || (code >= 0xfdd0 && code <= 0xfdef);
}

}  // namespace

character character_at(std::string_view text) {
    utf8proc_int32_t code = -1;
    const auto* const bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
    const auto length = utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size()), &code);
    if (length <= 0) return {};
    character found{static_cast<std::size_t>(length), static_cast<std::size_t>(utf8proc_charwidth(code)),
                    !is_noncharacter(code)};
    switch (utf8proc_category(code)) {
        case UTF8PROC_CATEGORY_CC:
        case UTF8PROC_CATEGORY_CF:
        case UTF8PROC_CATEGORY_CS:
        case UTF8PROC_CATEGORY_CO:
        case UTF8PROC_CATEGORY_ZL:
        case UTF8PROC_CATEGORY_ZP:
            found.is_printable = false;
            break;
        default:
            break;
    }
    return found;
}

}  // namespace loopbench::reports
