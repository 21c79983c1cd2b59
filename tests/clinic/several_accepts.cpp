// With 32 pending `async_accept` on one acceptor, each client is accepted once and served.
// https://github.com/chriskohlhoff/asio/issues/1350
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "tests/clinic/clinic.hpp"
#include "tests/clinic/sockets.hpp"

namespace {

namespace net = boost::asio;
using net::ip::tcp;

constexpr int accepting = 32, clients_each = 31;

net::awaitable<void> serve(tcp::acceptor& acceptor, int& accepted) {
    for (;;) {
        auto client = co_await acceptor.async_accept(net::use_awaitable);
        ++accepted;
        co_await net::async_write(client, net::buffer("x", 1), net::use_awaitable);
    }
}

net::awaitable<void> ask(tcp::acceptor& acceptor, int& served) {
    for (int i = 0; i < clients_each; ++i) {
        tcp::socket socket(acceptor.get_executor());
        co_await socket.async_connect(acceptor.local_endpoint(), net::use_awaitable);
        char byte = ' ';
        co_await net::async_read(socket, net::buffer(&byte, 1), net::use_awaitable);
        served += byte == 'x' ? 1 : 0;
        clinic::passed();
    }
}

clinic::verdict check() {
    net::io_context context(1);
    tcp::acceptor acceptor(context, clinic::any_port);
    int accepted = 0, served = 0, asking = accepting;
    for (int i = 0; i < accepting; ++i) {
        net::co_spawn(context, serve(acceptor, accepted), net::detached);
        net::co_spawn(context, ask(acceptor, served), [&](const std::exception_ptr& failure) {
            if (failure) std::rethrow_exception(failure);
            if (--asking == 0) context.stop();
        });
    }
    context.run();
    constexpr int expected = clients_each * accepting;
    if (accepted == expected && served == expected) return clinic::right();
    return clinic::wrong("%d clients accepted and %d served, instead of %d", accepted, served, expected);
}

}  // namespace

int main() {
    return clinic::judge(check);
}
