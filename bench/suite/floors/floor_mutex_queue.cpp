// The contender floor-mutex-queue makes no connections and has no timers.
#include "bench/suite/floors/queue_floor.hpp"

int main(int argc, char** argv) {
    using namespace loopbench::bench::floors;
    return queue_floor_main<mutex_queue_runtime>(argc, argv, "floor-mutex-queue", "a queue and a mutex");
}
