// The set-up and tear-down of sockets is shared by runtime.hpp and tuned/runtime.hpp, so that the streams of
// the two runtimes are comparable.
#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>
#include <type_traits>

#include "asio_ref/types.hpp"

namespace loopbench::asio_ref {

inline constexpr int listen_backlog = 4096;

template <class Protocol>
using acceptor = boost::asio::basic_socket_acceptor<Protocol, executor>;

/// Returns a listening socket. SO_REUSEADDR is not set, because neither a port that the kernel chooses nor a
/// Unix path needs this option. A Unix path must not exist yet. Throws a std::system_error that names the
/// step that failed.
template <class Protocol>
acceptor<Protocol> open_acceptor(const executor& loop, const typename Protocol::endpoint& local) {
    acceptor<Protocol> opened(loop);
    boost::system::error_code error;
    opened.open(local.protocol(), error);
    throw_if_failed(error, "cannot open a listening socket");
    opened.bind(local, error);
    throw_if_failed(error, "cannot bind a listening socket to its address");
    opened.listen(listen_backlog, error);
    throw_if_failed(error, "listen");
    return opened;
}

/// Sets TCP_NODELAY on a TCP socket, as the Stream concept requires. Throws std::system_error.
template <class Socket>
void set_stream_options(Socket& connected) {
    if constexpr (std::is_same_v<typename Socket::protocol_type, boost::asio::ip::tcp>) {
        boost::system::error_code error;
        connected.set_option(boost::asio::ip::tcp::no_delay(true), error);
        throw_if_failed(error, "cannot set TCP_NODELAY");
    }
}

template <class Socket>
void shut_down_sending(Socket& connected) {
    boost::system::error_code ignored;
    connected.shutdown(Socket::shutdown_send, ignored);
}

template <class Closable>
void close_quietly(Closable& open) {
    boost::system::error_code ignored;
    open.close(ignored);
}

}  // namespace loopbench::asio_ref
