#pragma once

#include <string_view>

namespace loopbench::bench {

/// `design` is a name in loop/designs.hpp. With any other name, every trial fails with an error that lists
/// the valid names.
int loop_contender_main(int argc, char** argv, std::string_view design);

}  // namespace loopbench::bench
