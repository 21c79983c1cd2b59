#pragma once

#include <string>

namespace loopbench::bench {

/// Returns the file that provides malloc and, unless it is the same file or the C++ library, the file that
/// provides operator new. The process itself is examined, because compiler flags would not show a preloaded
/// allocator.
std::string allocator_in_use();

/// Returns the sanitizers in this process, or "off". With clang, the text can also contain "undefined",
/// because the libraries of other sanitizers contain the sanitizer for undefined behaviour.
std::string sanitizers_in_use();

std::string clock_in_use();

/// Returns the timer slack of this thread in nanoseconds (prctl(2), PR_GET_TIMERSLACK).
std::string timer_slack_in_use();

}  // namespace loopbench::bench
