#pragma once

#include <string>

#include "bench/harness/counting/callgrind.hpp"
#include "reports/model/causes.hpp"

namespace loopbench::bench {

/// The profile of one build.
struct profiled_build {
    weighted_stacks stacks;          // the weights per operation, without start-up and set-up
    weighted_stacks variances = {};  // of the weights; empty if the weights are exact
    reports::operation_time time = {};
    bool sees_kernel = true;  // false if the stacks contain only code in user space
};

/// Compares the profiles of two builds. The time of a function is its share of the weights, multiplied by the
/// CPU time per operation. The remaining time is that of "[kernel]", if the profiler cannot see it, and of
/// "[waiting]". The functions and stacks with the smallest times are summed up as "[others]".
reports::profile compare_profiles(std::string profiler, const profiled_build& before,
                                  const profiled_build& after);

}  // namespace loopbench::bench
