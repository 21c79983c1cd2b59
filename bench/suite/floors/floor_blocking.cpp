// The contender floor-blocking: four blocking calls per round trip, and other blocking calls.
#include "bench/suite/floors/floors.hpp"

int main(int argc, char** argv) {
    using namespace loopbench::bench::floors;
    return floor_main(argc, argv, blocking_floor());
}
