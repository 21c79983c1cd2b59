// What the contenders of the family of hand-written loops share: everything but the design's name.
#pragma once

#include <string_view>

namespace loopbench::bench {

/// `design` is one of loop/designs.hpp; with any other name every trial fails, and says which there are.
int loop_contender_main(int argc, char** argv, std::string_view design);

}  // namespace loopbench::bench
