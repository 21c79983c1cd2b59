// Facts about the process, found at run time: flags do not show a preloaded allocator or a sanitizer.
#pragma once

#include <string>

namespace loopbench::bench {

/// Returns the provider of this process's malloc, and of its operator new unless that is the C++ library's.
std::string allocator_in_use();

/// Returns the sanitizers whose run-time libraries are in this process, or "off". (clang's run-time libraries
/// for the others also contain the one for undefined behaviour.)
std::string sanitizers_in_use();

/// Returns the kernel's clock that std::chrono::steady_clock reads, with its resolution.
std::string clock_in_use();

/// Returns the calling thread's timer slack in nanoseconds (prctl(2), PR_GET_TIMERSLACK).
std::string timer_slack_in_use();

}  // namespace loopbench::bench
