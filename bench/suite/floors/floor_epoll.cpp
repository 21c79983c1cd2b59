// The contender floor-epoll, which uses epoll_wait, send and recv, a timerfd to sleep, and an eventfd to wake
// a thread.
#include "bench/suite/floors/floors.hpp"

int main(int argc, char** argv) {
    using namespace loopbench::bench::floors;
    return floor_main(argc, argv, epoll_floor());
}
