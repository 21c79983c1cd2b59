// The common part of the contenders loop-*: everything except the name of the design.
#pragma once

#include <string_view>

namespace loopbench::bench {

/// Runs the contender. `design` is the name of a design in loop/designs.hpp. With any other name, every trial
/// fails with an error that lists the valid names.
int loop_contender_main(int argc, char** argv, std::string_view design);

}  // namespace loopbench::bench
