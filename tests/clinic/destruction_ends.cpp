// The destruction of a context ends, after all its sockets were closed and its handlers ran.
// https://github.com/chriskohlhoff/asio/issues/1327
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include "tests/clinic/clinic.hpp"
#include "tests/clinic/sockets.hpp"

namespace {

using boost::system::error_code;

clinic::verdict check() {
    int handlers = 0;
    constexpr int rounds = 500;
    for (int i = 0; i < rounds; ++i) {
        boost::asio::io_context context;
        auto [reader, writer] = clinic::connection(context);
        boost::asio::ip::tcp::acceptor acceptor(context, clinic::any_port);
        boost::asio::steady_timer timer(context, std::chrono::microseconds(100 * (i % 3)));
        boost::asio::steady_timer idle(context, std::chrono::hours(1));
        char byte = ' ', other = ' ';
        const auto count = [&](error_code, std::size_t) { ++handlers; };
        reader.async_receive(boost::asio::buffer(&byte, 1), count);
        writer.async_receive(boost::asio::buffer(&other, 1), count);
        acceptor.async_accept([&](error_code, boost::asio::ip::tcp::socket) { ++handlers; });
        idle.async_wait([&](error_code) { ++handlers; });
        timer.async_wait([&](error_code) {
            ++handlers;
            idle.cancel();
            reader.close();
            writer.close();
            acceptor.close();
        });
        boost::asio::write(writer, boost::asio::buffer("x", 1));
        context.run();
        clinic::passed();
    }
    if (handlers == 5 * rounds) return clinic::right();
    return clinic::wrong("%d of %d handlers ran", handlers, 5 * rounds);
}

}  // namespace

int main() {
    return clinic::judge(check);
}
