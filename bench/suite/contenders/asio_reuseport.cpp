// The contender asio-reuseport is asio-each, but each io_context accepts its own connections.
#include "bench/suite/contenders/asio_threads.hpp"

int main(int argc, char** argv) {
    using namespace loopbench;
    return bench::asio_each_main<asio_ref::runtime>(
        argc, argv, bench::asio_info(LOOPBENCH_CONTENDER, "epoll"), bench::dealing::reuse_port);
}
