// The contender asio-shared-uring is asio-shared with Asio's io_uring backend. Since Boost 1.92, its
// io_context has a ring for each thread.
#include <string>

#include "asio_ref/uring_runtime.hpp"
#include "bench/suite/contenders/asio_threads.hpp"
#include "bench/suite/threads/asio_shared.hpp"

int main(int argc, char** argv) {
    using namespace loopbench;
    using runtime = bench::asio_shared_runtime<asio_ref::executor>;
    return bench::threads_main<runtime>(
        argc, argv,
        bench::with_sockets_of<asio_ref::uring_runtime>(
            bench::asio_info_with_options(LOOPBENCH_CONTENDER, "io_uring")),
        [](const bench::thread_plan& plan) {
            const asio_ref::uring_probe probe;
            const std::string threads = std::to_string(plan.threads);
            const std::string options =
                "scheduler.concurrency_hint=" + threads + "\nreactor.io_uring_ring_count=" + threads;
            return std::make_unique<runtime>(
                plan, asio_ref::context_argument_of(static_cast<int>(plan.threads), options.c_str()));
        });
}
