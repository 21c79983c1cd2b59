// The contender asio-shared runs one io_context in several threads, as Asio's own examples do.
#include "bench/suite/threads/asio_shared.hpp"

#include "bench/suite/contenders/asio_threads.hpp"

int main(int argc, char** argv) {
    using namespace loopbench;
    return bench::asio_threads_main<bench::asio_shared_runtime<asio_ref::executor>>(argc, argv);
}
