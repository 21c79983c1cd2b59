// What changed between two texts, for a person.
#pragma once

#include <string>
#include <string_view>

namespace loopbench::bench {

/// The lines that only `before` has, with "-" in front, and those that only `after` has, with "+", in the
/// order of the texts: all that is not in their longest common subsequence of lines (D. S. Hirschberg, CACM
/// 18, 1975). Takes memory in proportion to the product of the numbers of lines.
std::string line_difference(std::string_view before, std::string_view after);

}  // namespace loopbench::bench
