// The main program of the contender floor-uring.
#include "bench/suite/floors/floors.hpp"

int main(int argc, char** argv) {
    using namespace loopbench::bench::floors;
    return floor_main(argc, argv, uring_floor());
}
