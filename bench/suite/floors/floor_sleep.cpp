// The contender floor-sleep sleeps with clock_nanosleep, in a thread with the default timer slack.
#include "bench/suite/floors/floors.hpp"

int main(int argc, char** argv) {
    using namespace loopbench::bench::floors;
    return floor_main(argc, argv, sleep_floor());
}
