// The contender asio-tuned runs loopbench's task type on Boost.Asio's operations, without locks or
// allocations.
#include "asio_ref/tuned/runtime.hpp"
#include "bench/suite/contenders/asio_info.hpp"

int main(int argc, char** argv) {
    using namespace loopbench;
    return bench::contender_main<asio_ref::tuned::runtime>(
        argc, argv, bench::asio_info_with_options(LOOPBENCH_CONTENDER, "epoll"));
}
