// The contender asio-shared-defer is asio-shared with boost::asio::defer() instead of post().
#include "bench/suite/contenders/asio_threads.hpp"
#include "bench/suite/threads/asio_shared.hpp"

int main(int argc, char** argv) {
    using namespace loopbench;
    return bench::asio_threads_main<bench::asio_shared_runtime<asio_ref::executor, bench::submission::defer>>(
        argc, argv);
}
