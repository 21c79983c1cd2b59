#pragma once

#include <memory>
#include <utility>

#include "asio_ref/runtime.hpp"
#include "bench/suite/contenders/asio_info.hpp"
#include "bench/suite/contenders/threads_main.hpp"
#include "bench/suite/threads/asio_each.hpp"

namespace loopbench::bench {

/// Adds the options of the sockets, which are those of the runtime R, to `info`.
template <Runtime R>
contender_info with_sockets_of(contender_info info) {
    info.socket_options = [] { return own_socket_options<R>([] { return std::make_unique<R>(); }); };
    return info;
}

/// Implements main() of a contender whose threads share an io_context. Returns the exit code.
template <ThreadedRuntime R>
int asio_threads_main(
    int argc, char** argv,
    const make_threads_fn<R>& make = [](const thread_plan& plan) { return std::make_unique<R>(plan); }) {
    return threads_main<R>(argc, argv,
                           with_sockets_of<asio_ref::runtime>(asio_info(LOOPBENCH_CONTENDER, "epoll")), make);
}

/// Implements main() of a contender with an io_context for each thread. Returns the exit code.
template <std::derived_from<asio_ref::runtime> R>
int asio_each_main(int argc, char** argv, contender_info info, dealing how) {
    using runtime = asio_each_runtime<R>;
    return threads_main<runtime>(
        argc, argv, with_sockets_of<R>(std::move(info)), [how](const thread_plan& plan) {
            return std::make_unique<runtime>(plan, how, [] { return std::make_unique<R>(); });
        });
}

}  // namespace loopbench::bench
