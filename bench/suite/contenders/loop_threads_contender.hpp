#pragma once

#include <string_view>

#include "bench/suite/threads/each_runtime.hpp"

namespace loopbench::bench {

/// Runs the contender `name`, which has a loop of the design `design` in each thread. Returns its exit code.
int loop_threads_main(int argc, char** argv, std::string_view name, std::string_view design, dealing how);

}  // namespace loopbench::bench
