// The contender floor-sleep: clock_nanosleep, as the kernel gives it to a thread that asks for nothing
// special.
#include "bench/floors/floors.hpp"

int main(int argc, char** argv) {
    using namespace loopbench::bench::floors;
    return floor_main(argc, argv, sleep_floor());
}
