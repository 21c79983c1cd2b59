#pragma once

#include <coroutine>
#include <utility>

#include "asio_ref/runtime.hpp"
#include "bench/suite/threads/each_runtime.hpp"

namespace loopbench::bench {

/// The HandsOver functions of Asio. As in Asio's example HTTP server 2, the acceptor opens the socket of a
/// connection directly in the io_context that will serve it.
struct asio_sockets {
    using passed = asio_ref::stream;

    static asio_ref::listener listen_at(asio_ref::runtime& here, loop::unique_fd listening) {
        return {here.get_executor(), boost::asio::ip::tcp::v4(), listening.release()};
    }
    static asio_ref::task<passed> accept_for(asio_ref::runtime&, asio_ref::listener& from,
                                             asio_ref::runtime& there) {
        return from.accept_for(there.get_executor());
    }
    static asio_ref::stream receive(asio_ref::runtime&, passed connection) { return connection; }
};

template <std::derived_from<asio_ref::runtime> R>
using asio_each_runtime = each_runtime<R, asio_sockets>;

}  // namespace loopbench::bench
