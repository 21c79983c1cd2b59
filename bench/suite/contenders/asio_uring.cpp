// The contender asio-uring is asio-epoll, built with Asio's io_uring backend.
#include "asio_ref/uring_runtime.hpp"
#include "bench/suite/contenders/asio_info.hpp"

int main(int argc, char** argv) {
    using namespace loopbench;
    return bench::contender_main<asio_ref::uring_runtime>(
        argc, argv, bench::asio_info_with_options(LOOPBENCH_CONTENDER, "io_uring"));
}
