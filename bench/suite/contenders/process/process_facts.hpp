// Facts about the running process, such as its allocator. Compiler flags would not show a preloaded allocator
// or sanitizer.
#pragma once

#include <string>

namespace loopbench::bench {

/// Returns the name of the file that provides this process's malloc. Adds the name of the file that provides
/// operator new, unless it is the same file or the C++ library.
std::string allocator_in_use();

/// Returns the sanitizers whose run-time libraries are in this process, or "off". With clang, the text can
/// contain "undefined" in addition to another sanitizer, because the libraries of other sanitizers contain
/// the one for undefined behaviour.
std::string sanitizers_in_use();

/// Returns the kernel clock that std::chrono::steady_clock reads, and the clock's resolution.
std::string clock_in_use();

/// Returns the calling thread's timer slack in nanoseconds (prctl(2), PR_GET_TIMERSLACK).
std::string timer_slack_in_use();

}  // namespace loopbench::bench
