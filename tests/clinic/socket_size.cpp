// How large is a `tcp::socket`?
// https://github.com/chriskohlhoff/asio/issues/498
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "tests/clinic/clinic.hpp"

int main() {
    namespace net = boost::asio;
    using lean = net::basic_stream_socket<net::ip::tcp, net::io_context::executor_type>;
    return clinic::judge([] {
        return clinic::measured(sizeof(net::ip::tcp::socket),
                                "B (" + std::to_string(sizeof(lean)) + " B with io_context::executor_type)");
    });
}
