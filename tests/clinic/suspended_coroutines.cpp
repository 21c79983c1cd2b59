// The destruction of a context destroys the coroutines that are suspended on it.
// https://github.com/chriskohlhoff/asio/issues/1235
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "tests/clinic/clinic.hpp"
#include "tests/clinic/sockets.hpp"

namespace {

namespace net = boost::asio;
using net::ip::tcp;

constexpr int rounds = 200;
int alive = 0, suspended = 0;

struct counted {
    counted() { ++alive; }
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;
    ~counted() { --alive; }
};

net::awaitable<void> accept(tcp::acceptor acceptor) {
    const counted frame;
    ++suspended;
    co_await acceptor.async_accept(net::use_awaitable);
}

net::awaitable<void> read(tcp::socket socket) {
    const counted frame;
    char byte = ' ';
    ++suspended;
    co_await net::async_read(socket, net::buffer(&byte, 1), net::use_awaitable);
}

net::awaitable<void> sleep() {
    const counted frame;
    net::steady_timer timer(co_await net::this_coro::executor, std::chrono::hours(1));
    ++suspended;
    co_await timer.async_wait(net::use_awaitable);
}

clinic::verdict check() {
    for (int i = 0; i < rounds; ++i) {
        net::io_context context;
        auto [reader, writer] = clinic::connection(context);
        net::co_spawn(context, accept(tcp::acceptor(context, clinic::any_port)), net::detached);
        net::co_spawn(context, read(std::move(reader)), net::detached);
        net::co_spawn(context, sleep(), net::detached);
        context.poll();
        clinic::passed();
    }
    if (alive == 0 && suspended == 3 * rounds) return clinic::right();
    return clinic::wrong("%d of %d coroutines were not destroyed", alive, suspended);
}

}  // namespace

int main() {
    return clinic::judge(check);
}
