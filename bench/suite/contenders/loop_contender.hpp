#pragma once

#include <string_view>

namespace loopbench::bench {

/// Runs the contender `design`, and returns its exit code. If loop/designs.hpp does not contain this name,
/// every trial fails with an error that lists the valid names.
int loop_contender_main(int argc, char** argv, std::string_view design);

}  // namespace loopbench::bench
