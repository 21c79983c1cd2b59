// The main program of each contender loop-*. CMake defines the name of the design. The workloads are in
// loop_contender.cpp, which is compiled once for all these contenders.
#include "bench/suite/contenders/loop_contender.hpp"

int main(int argc, char** argv) {
    return loopbench::bench::loop_contender_main(argc, argv, LOOPBENCH_DESIGN);
}
