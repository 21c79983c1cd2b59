// The contender asio-strands is asio-shared with a strand for each connection.
#include "bench/suite/contenders/asio_threads.hpp"
#include "bench/suite/threads/asio_shared.hpp"

int main(int argc, char** argv) {
    using namespace loopbench;
    return bench::asio_threads_main<bench::asio_shared_runtime<bench::asio_strand>>(argc, argv);
}
