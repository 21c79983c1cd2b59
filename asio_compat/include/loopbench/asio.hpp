// Runs Boost.Asio programs on the loops of this project: this header defines an io_context with which Asio's
// own classes work.
//
//     loopbench::asio::io_context context(loopbench::asio::design::io_uring);
//     loopbench::asio::ip::tcp::acceptor acceptor(context, {boost::asio::ip::tcp::v4(), 8080});
//
// All of Asio's classes that have an executor work with the executor of this io_context. The names below are
// Asio's classes with this executor as the template argument. If a program must stay unchanged, use
// loopbench/asio/dropin.hpp instead of this header.
#pragma once

#include "loopbench/asio/detail/version.hpp"
#if __cplusplus >= 202002L  // before C++20, only version.hpp reports an error
#include <boost/asio/basic_datagram_socket.hpp>
#include <boost/asio/basic_random_access_file.hpp>
#include <boost/asio/basic_raw_socket.hpp>
#include <boost/asio/basic_seq_packet_socket.hpp>
#include <boost/asio/basic_serial_port.hpp>
#include <boost/asio/basic_signal_set.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_file.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/generic/datagram_protocol.hpp>
#include <boost/asio/generic/raw_protocol.hpp>
#include <boost/asio/generic/seq_packet_protocol.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/basic_resolver.hpp>
#include <boost/asio/ip/icmp.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/local/datagram_protocol.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <chrono>

#if __has_include(<boost/asio/basic_readable_pipe.hpp>)
#include <boost/asio/basic_readable_pipe.hpp>
#include <boost/asio/basic_writable_pipe.hpp>
#endif

// Default visibility, as in Asio's headers: all shared libraries of a program must use the same static
// variables, such as the IDs of services.
#pragma GCC visibility push(default)
#include "loopbench/asio/detail/objects.hpp"
#pragma GCC visibility pop

namespace loopbench::asio {

namespace detail {

template <class Protocol>
using stream_socket_of = boost::asio::basic_stream_socket<Protocol, io_context::executor_type>;
template <class Protocol>
using datagram_socket_of = boost::asio::basic_datagram_socket<Protocol, io_context::executor_type>;
template <class Protocol>
using raw_socket_of = boost::asio::basic_raw_socket<Protocol, io_context::executor_type>;
template <class Protocol>
using seq_packet_socket_of = boost::asio::basic_seq_packet_socket<Protocol, io_context::executor_type>;
template <class Protocol>
using acceptor_of = boost::asio::basic_socket_acceptor<Protocol, io_context::executor_type>;
template <class Protocol>
using resolver_of = boost::asio::ip::basic_resolver<Protocol, io_context::executor_type>;

}  // namespace detail

namespace ip {

struct tcp {
    using protocol = boost::asio::ip::tcp;
    using endpoint = protocol::endpoint;
    using socket = detail::stream_socket_of<protocol>;
    using acceptor = detail::acceptor_of<protocol>;
    using resolver = detail::resolver_of<protocol>;
};
struct udp {
    using protocol = boost::asio::ip::udp;
    using endpoint = protocol::endpoint;
    using socket = detail::datagram_socket_of<protocol>;
    using resolver = detail::resolver_of<protocol>;
};
struct icmp {
    using protocol = boost::asio::ip::icmp;
    using endpoint = protocol::endpoint;
    using socket = detail::raw_socket_of<protocol>;
    using resolver = detail::resolver_of<protocol>;
};

}  // namespace ip

namespace local {

struct stream_protocol {
    using protocol = boost::asio::local::stream_protocol;
    using endpoint = protocol::endpoint;
    using socket = detail::stream_socket_of<protocol>;
    using acceptor = detail::acceptor_of<protocol>;
};
struct datagram_protocol {
    using protocol = boost::asio::local::datagram_protocol;
    using endpoint = protocol::endpoint;
    using socket = detail::datagram_socket_of<protocol>;
};

}  // namespace local

namespace generic {

struct stream_protocol {
    using socket = detail::stream_socket_of<boost::asio::generic::stream_protocol>;
};
struct datagram_protocol {
    using socket = detail::datagram_socket_of<boost::asio::generic::datagram_protocol>;
};
struct raw_protocol {
    using socket = detail::raw_socket_of<boost::asio::generic::raw_protocol>;
};
struct seq_packet_protocol {
    using socket = detail::seq_packet_socket_of<boost::asio::generic::seq_packet_protocol>;
};

}  // namespace generic

template <class Clock, class WaitTraits = boost::asio::wait_traits<Clock>>
using basic_waitable_timer = boost::asio::basic_waitable_timer<Clock, WaitTraits, io_context::executor_type>;
using steady_timer = basic_waitable_timer<std::chrono::steady_clock>;
using system_timer = basic_waitable_timer<std::chrono::system_clock>;
using high_resolution_timer = basic_waitable_timer<std::chrono::high_resolution_clock>;
using signal_set = boost::asio::basic_signal_set<io_context::executor_type>;

namespace posix {
using descriptor = boost::asio::posix::basic_descriptor<io_context::executor_type>;
using stream_descriptor = boost::asio::posix::basic_stream_descriptor<io_context::executor_type>;
}  // namespace posix

#if defined(BOOST_ASIO_HAS_SERIAL_PORT)
using serial_port = boost::asio::basic_serial_port<io_context::executor_type>;
#endif

#if defined(BOOST_ASIO_HAS_FILE)
using stream_file = boost::asio::basic_stream_file<io_context::executor_type>;
using random_access_file = boost::asio::basic_random_access_file<io_context::executor_type>;
#endif

#if __has_include(<boost/asio/basic_readable_pipe.hpp>)
using readable_pipe = boost::asio::basic_readable_pipe<io_context::executor_type>;
using writable_pipe = boost::asio::basic_writable_pipe<io_context::executor_type>;
#endif

}  // namespace loopbench::asio

#endif
