// A read with a timeout ends at its timeout, also the second and the third time.
// https://github.com/chriskohlhoff/asio/issues/1530
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <optional>

#include "tests/clinic/clinic.hpp"
#include "tests/clinic/sockets.hpp"

namespace {

using boost::system::error_code;

error_code read_for_20_ms(boost::asio::io_context& context, boost::asio::ip::tcp::socket& socket) {
    std::optional<error_code> expired, read;
    boost::asio::steady_timer timer(context, std::chrono::milliseconds(20));
    timer.async_wait([&](error_code error) { expired = error; });
    char byte = ' ';
    boost::asio::async_read(socket, boost::asio::buffer(&byte, 1),
                            [&](error_code error, std::size_t) { read = error; });
    context.restart();
    while (context.run_one() > 0) {
        if (read) {
            timer.cancel();
        } else if (expired) {
            socket.cancel();
        }
    }
    return read.value();
}

clinic::verdict check() {
    boost::asio::io_context context;
    auto [silent, peer] = clinic::connection(context);
    for (int i = 0; i < 10; ++i) {
        const error_code end = read_for_20_ms(context, silent);
        if (end != boost::asio::error::operation_aborted)
            return clinic::wrong("read %d ended with: %s", i + 1, end.message().c_str());
        clinic::passed();
    }
    return clinic::right();
}

}  // namespace

int main() {
    return clinic::judge(check);
}
