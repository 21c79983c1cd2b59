// The contender asio-epoll runs Boost.Asio with its default settings. It is the default baseline.
#include "asio_ref/runtime.hpp"
#include "bench/suite/contenders/asio_info.hpp"

int main(int argc, char** argv) {
    using namespace loopbench;
    return bench::contender_main<asio_ref::runtime>(argc, argv,
                                                    bench::asio_info(LOOPBENCH_CONTENDER, "epoll"));
}
