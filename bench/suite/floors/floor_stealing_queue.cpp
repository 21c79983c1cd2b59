// The contender floor-stealing-queue makes no connections and has no timers.
#include "bench/suite/floors/queue_floor.hpp"

int main(int argc, char** argv) {
    using namespace loopbench::bench::floors;
    return queue_floor_main<stealing_queue_runtime>(argc, argv, "floor-stealing-queue",
                                                    "a queue for each thread, with work stealing");
}
