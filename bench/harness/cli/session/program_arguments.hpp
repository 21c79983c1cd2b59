#pragma once

#include <string>
#include <vector>

namespace loopbench::bench {

/// Splits the text of --args at spaces, as a shell does with quotes and backslashes. Throws usage_error if
/// the text contains an unknown escape.
std::vector<std::string> words_in(const std::string& text);

}  // namespace loopbench::bench
