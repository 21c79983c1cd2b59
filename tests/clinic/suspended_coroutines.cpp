// A context can be destroyed after `stop()` in a coroutine that then waits for the next client.
// https://github.com/chriskohlhoff/asio/issues/1235
//
// This program is compiled with sanitizers: in the report, the pending accept is destroyed, but after the
// service that its socket uses.
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "tests/clinic/clinic.hpp"
#include "tests/clinic/sockets.hpp"

namespace {

namespace net = boost::asio;
using net::ip::tcp;

int alive = 0;

struct counted {
    counted() { ++alive; }
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;
    ~counted() { --alive; }
};

net::awaitable<void> accept(net::io_context& context, tcp::acceptor& acceptor) {
    const counted frame;
    for (;;) {
        co_await acceptor.async_accept(context, net::use_awaitable);
        context.stop();
        clinic::passed();
    }
}

/// Stops a context while the coroutine that has called stop() waits for the next client, and destroys it.
void accept_and_stop() {
    net::io_context context;
    tcp::acceptor acceptor(context, clinic::any_port);
    net::co_spawn(context, accept(context, acceptor), net::detached);
    context.poll();  // starts the first accept, so that the kernel completes it
    net::io_context unused;
    tcp::socket client(unused);
    client.connect(acceptor.local_endpoint());
    context.run();
}

clinic::verdict check() {
    constexpr int rounds = 50;
    for (int i = 0; i < rounds; ++i) accept_and_stop();
    if (alive == 0 && clinic::steps == rounds) return clinic::right();
    return clinic::wrong("%d of %d coroutines were not destroyed, after %ld clients", alive, rounds,
                         clinic::steps.load());
}

}  // namespace

int main() {
    return clinic::judge(check);
}
