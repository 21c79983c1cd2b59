#pragma once

#include <string_view>

#include "bench/harness/counting/callgrind.hpp"

namespace loopbench::bench {

/// Parses the output of `perf script -F ip,sym,dso`. Each sample has a weight of 1. A function without a
/// symbol gets the name of its file, for example "[libc.so.6]".
weighted_stacks stacks_in_perf_script(std::string_view text);

}  // namespace loopbench::bench
