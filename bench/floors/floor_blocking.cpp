// The contender floor-blocking: four blocking calls a round trip, and what else blocks.
#include "bench/floors/floors.hpp"

int main(int argc, char** argv) {
    using namespace loopbench::bench::floors;
    return floor_main(argc, argv, blocking_floor());
}
