// Every write to a peer that has closed the connection ends, so that `run()` returns.
// https://github.com/chriskohlhoff/asio/issues/1664 https://github.com/chriskohlhoff/asio/issues/1720
#include <functional>

#include "tests/clinic/clinic.hpp"
#include "tests/clinic/sockets.hpp"

namespace {

using boost::system::error_code;

clinic::verdict check() {
    boost::asio::io_context context;
    auto [socket, peer] = clinic::connection(context);
    peer.shutdown(boost::asio::socket_base::shutdown_both);
    peer.close();
    int written = 0, failed = 0;
    std::function<void()> write = [&] {
        socket.async_write_some(boost::asio::buffer("hello", 5), [&](error_code error, std::size_t) {
            clinic::passed();
            ++(error ? failed : written);
            if (written + failed < 10) write();
        });
    };
    write();
    context.run();
    if (written + failed == 10) return clinic::right();
    return clinic::wrong("%d writes succeeded and %d failed, of 10", written, failed);
}

}  // namespace

int main() {
    return clinic::judge(check);
}
