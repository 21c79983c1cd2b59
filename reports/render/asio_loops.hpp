// The loops on which the io_contexts of swapped Asio programs ran (docs/asio-programs.md).
#pragma once

#include <string>
#include <string_view>

#include "reports/model/results.hpp"

namespace loopbench::reports {

/// The code of the warning about a program that was compiled with the drop-in header, but created no
/// io_context of loopbench.
inline constexpr std::string_view swap_without_effect_code = "asio_swap_without_effect";

/// Returns for example "new ran on loopbench's epoll loop.", or an empty text if no contender used an
/// io_context of loopbench. Every writer must escape the text, because names can contain any characters.
std::string asio_loops_text(const report& content);

}  // namespace loopbench::reports
