// The contender asio-each-uring is asio-each with Asio's io_uring backend.
#include "asio_ref/uring_runtime.hpp"
#include "bench/suite/contenders/asio_threads.hpp"

int main(int argc, char** argv) {
    using namespace loopbench;
    return bench::asio_each_main<asio_ref::uring_runtime>(
        argc, argv, bench::asio_info_with_options(LOOPBENCH_CONTENDER, "io_uring"),
        bench::dealing::hand_over);
}
