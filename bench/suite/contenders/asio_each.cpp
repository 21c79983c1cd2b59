// The contender asio-each has an io_context for each thread, and deals the connections in turn, as Asio's
// example HTTP server 2 does.
#include "bench/suite/contenders/asio_threads.hpp"

int main(int argc, char** argv) {
    using namespace loopbench;
    return bench::asio_each_main<asio_ref::runtime>(
        argc, argv, bench::asio_info(LOOPBENCH_CONTENDER, "epoll"), bench::dealing::hand_over);
}
