// The contenders asio-on-*: this program, with the loop that CMake names. The workloads are in
// asio_on_loop_contender.cpp, compiled once for both.
#include "bench/suite/contenders/asio_on_loop_contender.hpp"

int main(int argc, char** argv) {
    return loopbench::bench::asio_on_loop_contender_main(argc, argv, LOOPBENCH_CONTENDER, LOOPBENCH_DESIGN);
}
