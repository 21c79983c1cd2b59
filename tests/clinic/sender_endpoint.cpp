// `async_receive_from` sets the endpoint of the sender.
// https://github.com/chriskohlhoff/asio/pull/963
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>

#include "tests/clinic/clinic.hpp"

namespace {

using boost::asio::ip::udp;
using boost::system::error_code;

clinic::verdict check() {
    const udp::endpoint any_port(boost::asio::ip::address_v4::loopback(), 0);
    boost::asio::io_context context;
    udp::socket receiver(context, any_port);
    std::array<udp::socket, 2> senders{udp::socket(context, any_port), udp::socket(context, any_port)};
    for (std::size_t i = 0; i < 100; ++i) {
        auto& sender = senders[i % 2];
        udp::endpoint found;
        std::size_t bytes = 0;
        std::array<char, 8> data{};
        receiver.async_receive_from(boost::asio::buffer(data), found,
                                    [&](error_code, std::size_t count) { bytes = count; });
        sender.send_to(boost::asio::buffer("abc", 3), receiver.local_endpoint());
        context.restart();
        context.run();
        if (found != sender.local_endpoint() || bytes != 3)
            return clinic::wrong("a datagram of %zu bytes came from port %d instead of %d", bytes,
                                 found.port(), sender.local_endpoint().port());
        clinic::passed();
    }
    return clinic::right();
}

}  // namespace

int main() {
    return clinic::judge(check);
}
