// The contenders loop-*: this program, with the design that CMake names. The workloads are in
// loop_contender.cpp, compiled once for all of them.
#include "bench/suite/contenders/loop_contender.hpp"

int main(int argc, char** argv) {
    return loopbench::bench::loop_contender_main(argc, argv, LOOPBENCH_DESIGN);
}
