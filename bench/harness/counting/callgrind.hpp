#pragma once

#include <map>
#include <string>
#include <string_view>

#include "bench/harness/counting/amounts.hpp"
#include "bench/harness/counting/tools.hpp"

namespace loopbench::bench {

/// The weights of stacks. A stack is a list of functions, the outermost one first, separated by semicolons.
using weighted_stacks = std::map<std::string, double, std::less<>>;

/// Returns the name of a function as all profiles show it: without the suffixes of compilers ("[clone
/// .isra.0]", ".constprop.0", ".cold"), which can differ between two builds, and without semicolons.
std::string function_name(std::string_view symbol);

/// The work for callgrind, which slows programs down by about a factor of 50.
inline constexpr wanted_work work_for_callgrind{.slowdown = 50};

/// Returns valgrind's arguments for a profile of a process and of its descendants. Each process writes a file
/// whose name begins with `record`.
command_words callgrind_arguments(const std::string& record);

/// Parses one file or several concatenated files that callgrind wrote with callgrind_arguments(). A name in
/// such a file contains the callers of the function: "f'g'main". The weights are instructions.
///
/// Throws uncountable if the text is not such a file.
weighted_stacks stacks_in_callgrind(std::string_view text);

double total_weight(const weighted_stacks& of);

}  // namespace loopbench::bench
