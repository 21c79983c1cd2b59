#pragma once

#include <string>

#include "bench/harness/counting/callgrind.hpp"
#include "reports/model/causes.hpp"

namespace loopbench::bench {

/// The stacks of one build, and its time per operation.
struct profiled_build {
    weighted_stacks stacks;
    double operation_ns = 0;
};

/// Compares the profiles of two builds. The time of a function is its share of the weights, multiplied by the
/// time per operation. The functions and stacks with the smallest times are summed up as "[others]".
reports::profile compare_profiles(std::string profiler, const profiled_build& before,
                                  const profiled_build& after);

}  // namespace loopbench::bench
