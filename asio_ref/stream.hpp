#pragma once

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/completion_condition.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>
#include <boost/version.hpp>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "asio_ref/socket.hpp"
#include "asio_ref/types.hpp"

namespace loopbench::asio_ref {

/// Returns the completion condition of a write that sends all bytes.
///
/// With the select reactor of Boost 1.92, a send on a closed socket never completes. Boost 1.90 first made
/// the socket non-blocking, and this failed on a closed one (needs_non_blocking in
/// asio/detail/reactive_socket_service_base.hpp). Boost 1.91 was not examined and is treated like 1.92: this
/// condition ends a write whose socket was closed between two sends, without an error.
template <class Socket>
auto all_bytes([[maybe_unused]] const Socket& socket) {
#if BOOST_VERSION >= 109100 && !defined(BOOST_ASIO_HAS_EPOLL) && !defined(BOOST_ASIO_HAS_IO_URING_AS_DEFAULT)
    return [&socket](const boost::system::error_code& error, std::size_t bytes) {
        return socket.is_open() ? boost::asio::transfer_all()(error, bytes) : 0;
    };
#else
    return boost::asio::transfer_all();
#endif
}

/// A connected stream. It must not be moved while an operation on it is pending.
template <class Protocol, class Executor = executor>
class basic_stream {
public:
    using socket = boost::asio::basic_stream_socket<Protocol, Executor>;

    /// Takes over a connected socket, and sets TCP_NODELAY on a TCP socket. Throws std::system_error.
    explicit basic_stream(socket connected) : socket_(std::move(connected)) { set_stream_options(socket_); }

    task<io_result, Executor> read_some(std::span<std::byte> in) {
        const auto [error, bytes] =
            co_await socket_.async_read_some(boost::asio::buffer(in.data(), in.size()), error_as_value);
        co_return to_io_result(error, bytes);
    }

    task<io_result, Executor> write_all(std::span<const std::byte> out) {
        const auto [error, bytes] = co_await boost::asio::async_write(
            socket_, boost::asio::buffer(out.data(), out.size()), all_bytes(socket_), error_as_value);
        // The Stream concept requires ECANCELED if close() is called between two sends of async_write. Asio
        // reports bad_descriptor, or all_bytes() ends the write early.
        if (error == boost::asio::error::bad_descriptor || (!error && bytes < out.size()))
            co_return io_result{bytes, ECANCELED};
        co_return to_io_result(error, bytes);
    }

    void shutdown_write() { shut_down_sending(socket_); }
    void close() { close_quietly(socket_); }
    int native_handle() { return socket_.native_handle(); }

private:
    socket socket_;
};

using stream = basic_stream<boost::asio::ip::tcp>;
using unix_stream = basic_stream<boost::asio::local::stream_protocol>;

/// A listening socket. It must not be moved while an accept is pending. The destructor does not remove the
/// path of a Unix socket.
template <class Protocol>
class basic_listener {
public:
    /// Listens on `local`. Throws std::system_error, for example if the path of a Unix socket has more than
    /// 107 bytes.
    basic_listener(const executor& loop, const typename Protocol::endpoint& local)
        : acceptor_(open_acceptor<Protocol>(loop, local)) {}
    /// Takes over `listening`, a descriptor that already listens. Throws boost::system::system_error.
    basic_listener(const executor& loop, const Protocol& protocol, int listening)
        : acceptor_(loop, protocol, listening) {}

    task<basic_stream<Protocol>> accept() { return accept_for(acceptor_.get_executor()); }

    /// Accepts a connection whose stream uses another executor, for example that of another io_context.
    template <class Executor>
    task<basic_stream<Protocol, Executor>> accept_for(Executor where) {
        auto [error, peer] = co_await acceptor_.async_accept(where, error_as_value);
        throw_if_failed(error, "accept");
        co_return basic_stream<Protocol, Executor>(std::move(peer));
    }

    std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

    void close() { close_quietly(acceptor_); }

private:
    acceptor<Protocol> acceptor_;
};

using listener = basic_listener<boost::asio::ip::tcp>;
using unix_listener = basic_listener<boost::asio::local::stream_protocol>;

}  // namespace loopbench::asio_ref
