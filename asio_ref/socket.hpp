// Set-up and tear-down of sockets in both Asio runtimes: written once, so that their streams are comparable.
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

/// Returns a listening socket. No SO_REUSEADDR: the kernel chooses the port, and a path must not exist.
/// Throws std::system_error with the step that failed.
template <class Protocol>
acceptor<Protocol> open_acceptor(const executor& loop, const typename Protocol::endpoint& local) {
    acceptor<Protocol> opened(loop);
    boost::system::error_code error;
    opened.open(local.protocol(), error);
    throw_if_failed(error, "open a listening socket");
    opened.bind(local, error);
    throw_if_failed(error, "bind a listening socket");
    opened.listen(listen_backlog, error);
    throw_if_failed(error, "listen");
    return opened;
}

/// Sets the one option of the Stream concept, for TCP. Throws std::system_error.
template <class Socket>
void set_stream_options(Socket& connected) {
    if constexpr (std::is_same_v<typename Socket::protocol_type, boost::asio::ip::tcp>) {
        boost::system::error_code error;
        connected.set_option(boost::asio::ip::tcp::no_delay(true), error);
        throw_if_failed(error, "set TCP_NODELAY");
    }
}

/// Ends sending. Does nothing if the peer or we have already ended the connection.
template <class Socket>
void shut_down_sending(Socket& connected) {
    boost::system::error_code ignored;
    connected.shutdown(Socket::shutdown_send, ignored);
}

/// Closes any of Asio's objects that has close(). Pending operations on it complete; closing twice is
/// harmless.
template <class Closable>
void close_quietly(Closable& open) {
    boost::system::error_code ignored;
    open.close(ignored);
}

}  // namespace loopbench::asio_ref
