// The contender floor-epoll: epoll_wait, send and recv, a timerfd to sleep, an eventfd to wake.
#include "bench/suite/floors/floors.hpp"

int main(int argc, char** argv) {
    using namespace loopbench::bench::floors;
    return floor_main(argc, argv, epoll_floor());
}
