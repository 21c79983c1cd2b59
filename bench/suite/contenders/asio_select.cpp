// The contender asio-select is asio-epoll, built with Asio's select backend.
#include "asio_ref/select_runtime.hpp"
#include "bench/suite/contenders/asio_info.hpp"

int main(int argc, char** argv) {
    using namespace loopbench;
    return bench::contender_main<asio_ref::select_runtime>(argc, argv,
                                                           bench::asio_info(LOOPBENCH_CONTENDER, "select"));
}
