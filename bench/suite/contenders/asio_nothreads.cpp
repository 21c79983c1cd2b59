// The contender asio-nothreads is asio-epoll, compiled with the macro that removes Asio's locks.
#include "asio_ref/runtime.hpp"
#include "bench/suite/contenders/asio_info.hpp"

int main(int argc, char** argv) {
    using namespace loopbench;
    auto info = bench::asio_info(LOOPBENCH_CONTENDER, "epoll");
    info.missing = {{bench::need::other_threads,
                     "this contender's io_context has no locks, so only one thread can use it"}};
    return bench::contender_main<asio_ref::runtime>(argc, argv, std::move(info));
}
