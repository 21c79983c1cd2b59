// A thread that only accepts sleeps while other threads use the accepted sockets synchronously.
// https://github.com/chriskohlhoff/asio/issues/240
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <future>
#include <memory>

#include "tests/clinic/clinic.hpp"
#include "tests/clinic/sockets.hpp"

namespace {

namespace net = boost::asio;
using boost::system::error_code;
using net::ip::tcp;

constexpr int messages = 2000;

/// Returns how often the thread that runs the context has gone to sleep so far.
long sleeps(net::io_context& context) {
    const auto found = std::make_shared<std::promise<long>>();
    net::post(context, [found] {
        rusage used{};
        ::getrusage(RUSAGE_THREAD, &used);
        found->set_value(used.ru_nvcsw);
    });
    return found->get_future().get();
}

void echo(tcp::socket& socket) {
    for (int i = 0; i < messages; ++i) {
        char byte = ' ';
        net::read(socket, net::buffer(&byte, 1));
        net::write(socket, net::buffer(&byte, 1));
    }
}

clinic::verdict check() {
    net::io_context context;
    auto work = net::make_work_guard(context);
    tcp::acceptor acceptor(context, clinic::any_port);
    std::promise<tcp::socket> accepted;
    acceptor.async_accept([&](error_code error, tcp::socket socket) {
        if (error) throw boost::system::system_error(error);
        accepted.set_value(std::move(socket));
    });
    const std::jthread listener([&] { context.run(); });
    net::io_context unused;
    tcp::socket client(unused);
    client.connect(acceptor.local_endpoint());
    tcp::socket served = accepted.get_future().get();
    const long before = sleeps(context);
    {
        const std::jthread server([&] { echo(served); });
        for (int i = 0; i < messages; ++i) {
            char byte = 'x';
            net::write(client, net::buffer(&byte, 1));
            net::read(client, net::buffer(&byte, 1));
            clinic::passed();
        }
    }
    const long woken = sleeps(context) - before - 1;  // one for the question
    work.reset();
    if (woken < messages / 10) return clinic::right();
    return clinic::wrong("%d messages woke the listening thread %ld times", messages, woken);
}

}  // namespace

int main() {
    return clinic::judge(check);
}
