// The main function of the command loopbench.
#include <algorithm>

#include "bench/harness/cli/commands.hpp"

int main(int argc, char** argv) {
    return loopbench::bench::run_command_line({argv + std::min(argc, 1), argv + argc});
}
