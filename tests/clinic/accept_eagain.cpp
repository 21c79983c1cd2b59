// `async_accept` on a non-blocking acceptor waits for a client, instead of ending with EAGAIN.
// https://github.com/chriskohlhoff/asio/issues/237
#include "tests/clinic/clinic.hpp"
#include "tests/clinic/sockets.hpp"

namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

clinic::verdict check() {
    boost::asio::io_context context;
    tcp::acceptor acceptor(context, clinic::any_port);
    acceptor.non_blocking(true);
    for (int i = 0; i < 100; ++i) {
        int ended = 0;
        error_code found;
        acceptor.async_accept([&](error_code error, tcp::socket) {
            ++ended;
            found = error;
        });
        context.restart();
        context.poll();
        if (ended != 0)
            return clinic::wrong("async_accept ended before a client came: %s", found.message().c_str());
        tcp::socket client(context);
        client.connect(acceptor.local_endpoint());
        context.run();
        if (ended != 1 || found)
            return clinic::wrong("async_accept ended %d times: %s", ended, found.message().c_str());
        clinic::passed();
    }
    return clinic::right();
}

}  // namespace

int main() {
    return clinic::judge(check);
}
