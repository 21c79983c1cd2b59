// The loopbench command on a machine that nothing else seems to run on: whether a test of the command passes
// is then no question of how busy the real one is. How disturbances are found and what they do has tests of
// its own (self_check_test.cpp).
#include <algorithm>

#include "bench/cli/commands.hpp"

int main(int argc, char** argv) {
    using namespace loopbench::bench;
    return run_command_line({argv + std::min(argc, 1), argv + argc}, watching::off);
}
