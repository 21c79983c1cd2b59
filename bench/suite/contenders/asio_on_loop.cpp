// The main program of each contender asio-on-*. CMake defines the name of the contender and the name of its
// loop.
#include "bench/suite/contenders/asio_on_loop_contender.hpp"

int main(int argc, char** argv) {
    return loopbench::bench::asio_on_loop_contender_main(argc, argv, LOOPBENCH_CONTENDER, LOOPBENCH_DESIGN);
}
