// The main program of the contenders loop-each* and loop-reuseport*. CMake defines the name, the design and
// the way in which connections are dealt.
#include "bench/suite/contenders/loop_threads_contender.hpp"

int main(int argc, char** argv) {
    using namespace loopbench::bench;
    return loop_threads_main(argc, argv, LOOPBENCH_CONTENDER, LOOPBENCH_DESIGN, dealing::LOOPBENCH_DEALING);
}
