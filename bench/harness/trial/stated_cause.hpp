#pragma once

#include <string>
#include <string_view>

namespace loopbench::bench {

/// Returns the line of a program's standard error that states why the program failed, without colours.
/// Returns an empty text if there is none. Prefers, in this order, a message that ends a program (an uncaught
/// exception, a failed assertion, a report of a sanitizer), a message that is marked as an error, and any
/// other line; of these, the last one. Never returns a warning, a note or a progress bar.
std::string stated_cause(std::string_view standard_error);

}  // namespace loopbench::bench
