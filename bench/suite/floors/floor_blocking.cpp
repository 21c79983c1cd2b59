// The contender floor-blocking. It uses only blocking calls, four of them per round trip.
#include "bench/suite/floors/floors.hpp"

int main(int argc, char** argv) {
    using namespace loopbench::bench::floors;
    return floor_main(argc, argv, blocking_floor());
}
