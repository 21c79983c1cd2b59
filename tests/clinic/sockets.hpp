// Connected sockets for the clinic programs.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <utility>

namespace clinic {

inline const boost::asio::ip::tcp::endpoint any_port(boost::asio::ip::address_v4::loopback(), 0);

/// Returns the two ends of a TCP connection on the loopback interface.
inline std::pair<boost::asio::ip::tcp::socket, boost::asio::ip::tcp::socket> connection(
    boost::asio::io_context& context) {
    using boost::asio::ip::tcp;
    tcp::acceptor acceptor(context, any_port);
    std::pair<tcp::socket, tcp::socket> ends{tcp::socket(context), tcp::socket(context)};
    ends.first.connect(acceptor.local_endpoint());
    acceptor.accept(ends.second);
    for (auto* end : {&ends.first, &ends.second}) end->set_option(tcp::no_delay(true));
    return ends;
}

}  // namespace clinic
