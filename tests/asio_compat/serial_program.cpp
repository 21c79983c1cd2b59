// A program of an Asio user that uses a serial port, without the deprecated parts of Asio
// (BOOST_ASIO_NO_DEPRECATED). Ends with 0 if the bytes that it sends over a pseudo terminal arrive.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/serial_port.hpp>
#include <boost/asio/write.hpp>
#include <cstdlib>
#include <string_view>

namespace net = boost::asio;

int main() {
    net::io_context context;
    const int end = ::posix_openpt(O_RDWR | O_NOCTTY);
    if (end < 0 || ::grantpt(end) != 0 || ::unlockpt(end) != 0) return 2;
    net::serial_port port(context, ::ptsname(end));
    port.set_option(net::serial_port::baud_rate(9600));
    std::array<char, 4> got{}, sent{};
    net::async_read(port, net::buffer(got), [](boost::system::error_code, std::size_t) {});
    net::async_write(port, net::buffer("sent", 4), [](boost::system::error_code, std::size_t) {});
    if (::write(end, "read", 4) != 4) return 3;
    context.run();
    const bool has_sent = ::read(end, sent.data(), sent.size()) == 4;
    return has_sent && std::string_view(sent.data(), 4) == "sent" && std::string_view(got.data(), 4) == "read"
               ? 0
               : 1;
}
