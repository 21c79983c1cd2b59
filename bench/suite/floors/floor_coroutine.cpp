// The contender floor-coroutine makes no system calls.
#include "bench/suite/floors/floors.hpp"

int main(int argc, char** argv) {
    using namespace loopbench::bench::floors;
    return floor_main(argc, argv, coroutine_floor());
}
