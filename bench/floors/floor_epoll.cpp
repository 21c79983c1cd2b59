// The contender floor-epoll: epoll_wait, send and recv, and a timerfd to sleep.
#include "bench/floors/floors.hpp"

int main(int argc, char** argv) {
    using namespace loopbench::bench::floors;
    return floor_main(argc, argv, epoll_floor());
}
