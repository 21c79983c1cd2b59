// The contender asio-shared-default is asio-shared with the concurrency hint of io_context().
#include <boost/asio/detail/concurrency_hint.hpp>

#include "bench/suite/contenders/asio_threads.hpp"
#include "bench/suite/threads/asio_shared.hpp"

int main(int argc, char** argv) {
    using namespace loopbench;
    using runtime = bench::asio_shared_runtime<asio_ref::executor>;
    return bench::asio_threads_main<runtime>(argc, argv, [](const bench::thread_plan& plan) {
        return std::make_unique<runtime>(plan, BOOST_ASIO_CONCURRENCY_HINT_DEFAULT);
    });
}
