// What the process says of itself, asked at run time: a preloaded allocator or a sanitizer is not in the
// flags.
#pragma once

#include <string>

namespace loopbench::bench {

/// Whose malloc this process calls, and whose operator new when that is not the C++ library's.
std::string allocator_in_use();

/// The sanitizers whose run-time libraries are in this process, or "off". (clang's run-time libraries
/// for the others have the one for undefined behaviour in them.)
std::string sanitizers_in_use();

/// The kernel's clock that std::chrono::steady_clock reads, with its resolution.
std::string clock_in_use();

/// The timer slack of the calling thread, in nanoseconds (prctl(2), PR_GET_TIMERSLACK).
std::string timer_slack_in_use();

}  // namespace loopbench::bench
