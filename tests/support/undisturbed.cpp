// The loopbench command without the detection of disturbances. With it, the tests also pass on a busy
// machine. self_check_test.cpp tests how disturbances are detected and handled.
#include <algorithm>

#include "bench/harness/cli/commands.hpp"

int main(int argc, char** argv) {
    using namespace loopbench::bench;
    return run_command_line({argv + std::min(argc, 1), argv + argc}, watching::off);
}
