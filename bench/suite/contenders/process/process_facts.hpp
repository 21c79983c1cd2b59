#pragma once

#include <string>

namespace loopbench::bench {

/// Returns the files that provide malloc and operator new, because a preloaded allocator does not show in the
/// compiler flags. The second file is left out if it is the first one or the C++ library.
std::string allocator_in_use();

/// Returns the sanitizers in this process, or "off". With clang, the text can contain "undefined" next to
/// another sanitizer, because the libraries of other sanitizers contain the one for undefined behaviour.
std::string sanitizers_in_use();

std::string clock_in_use();

/// The unit is nanoseconds (prctl(2), PR_GET_TIMERSLACK).
std::string timer_slack_in_use();

}  // namespace loopbench::bench
