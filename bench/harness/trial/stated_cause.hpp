#pragma once

#include <string>
#include <string_view>

namespace loopbench::bench {

/// Returns the line of a program's standard error that states why the program failed, without colours.
/// Returns an empty text if there is none. Prefers the last message of a program that cannot continue (an
/// uncaught C++ exception, a failed assertion, a sanitizer's report). Without one, returns the last line that
/// is not a warning, a note or a progress bar. Uses stack frames, usage texts and the like only if there is
/// nothing else.
std::string stated_cause(std::string_view standard_error);

}  // namespace loopbench::bench
