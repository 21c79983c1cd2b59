// The contender floor-epoll sleeps with a timerfd and wakes a thread with an eventfd.
#include "bench/suite/floors/floors.hpp"

int main(int argc, char** argv) {
    using namespace loopbench::bench::floors;
    return floor_main(argc, argv, epoll_floor());
}
