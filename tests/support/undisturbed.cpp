// The loopbench command without the detection of disturbances, so that the tests pass on a busy machine.
#include <algorithm>

#include "bench/harness/cli/commands.hpp"

int main(int argc, char** argv) {
    using namespace loopbench::bench;
    return run_command_line({argv + std::min(argc, 1), argv + argc}, watching::off);
}
