// The main program of each contender loop-*. CMake defines the name of the design.
#include "bench/suite/contenders/loop_contender.hpp"

int main(int argc, char** argv) {
    return loopbench::bench::loop_contender_main(argc, argv, LOOPBENCH_DESIGN);
}
