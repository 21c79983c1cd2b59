// A write on a closed or shut socket ends with an error, also with Asio's select reactor.
// https://www.boost.org/doc/libs/1_81_0/doc/html/boost_asio/overview/implementation.html
//
// The first build has the select reactor instead of epoll. Boost 1.92 is known to hang in it.
#ifndef BOOST_ASIO_DISABLE_EPOLL
#define BOOST_ASIO_DISABLE_EPOLL
#endif

#include "tests/clinic/clinic.hpp"
#include "tests/clinic/sockets.hpp"

namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

template <class End>
error_code error_of_write_after(End end) {
    boost::asio::io_context context;
    auto [socket, peer] = clinic::connection(context);
    end(socket);
    error_code found;
    socket.async_write_some(boost::asio::buffer("x", 1),
                            [&](error_code error, std::size_t) { found = error; });
    context.run();
    clinic::passed();
    return found;
}

clinic::verdict check() {
    const auto shut = error_of_write_after([](auto& socket) { socket.shutdown(tcp::socket::shutdown_send); });
    const auto closed = error_of_write_after([](auto& socket) { socket.close(); });
    if (shut == boost::asio::error::broken_pipe && closed == boost::asio::error::bad_descriptor)
        return clinic::right();
    return clinic::wrong("after shutdown: %s; after close: %s", shut.message().c_str(),
                         closed.message().c_str());
}

}  // namespace

int main() {
    return clinic::judge(check);
}
