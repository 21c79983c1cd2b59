// TCP and Unix sockets over Asio, with the meaning that bench/runtime.hpp gives to a Stream and a Listener.
#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "asio_ref/types.hpp"

namespace loopbench::asio_ref {

/// A connected stream. It must not be moved while an operation on it is pending.
template <class Protocol>
class basic_stream {
public:
    using socket = boost::asio::basic_stream_socket<Protocol, executor>;

    /// Takes over a connected socket and, for TCP, sets TCP_NODELAY. Throws std::system_error.
    explicit basic_stream(socket connected) : socket_(std::move(connected)) {
        if constexpr (!std::is_same_v<Protocol, boost::asio::ip::tcp>) return;
        boost::system::error_code error;
        socket_.set_option(boost::asio::ip::tcp::no_delay(true), error);
        throw_if_failed(error, "set TCP_NODELAY");
    }

    task<io_result> read_some(std::span<std::byte> in) {
        const auto [error, bytes] =
            co_await socket_.async_read_some(boost::asio::buffer(in.data(), in.size()), error_as_value);
        co_return to_io_result(error, bytes);
    }

    task<io_result> write_all(std::span<const std::byte> out) {
        const auto [error, bytes] = co_await boost::asio::async_write(
            socket_, boost::asio::buffer(out.data(), out.size()), error_as_value);
        // async_write writes in pieces; when close() comes between two of them, the next finds no socket.
        if (error == boost::asio::error::bad_descriptor) co_return io_result{bytes, ECANCELED};
        co_return to_io_result(error, bytes);
    }

    /// Does nothing when the peer or we have ended the connection already.
    void shutdown_write() {
        boost::system::error_code ignored;
        socket_.shutdown(socket::shutdown_send, ignored);
    }

    void close() {
        boost::system::error_code ignored;
        socket_.close(ignored);
    }

    int native_handle() { return socket_.native_handle(); }

private:
    socket socket_;
};

using stream = basic_stream<boost::asio::ip::tcp>;
using unix_stream = basic_stream<boost::asio::local::stream_protocol>;

inline constexpr int listen_backlog = 4096;

/// A listener on 127.0.0.1. It must not be moved while an accept is pending.
class listener {
public:
    /// Binds to a port that the kernel chooses, so no SO_REUSEADDR is needed. Throws std::system_error.
    explicit listener(const executor& loop) : acceptor_(loop) {
        const boost::asio::ip::tcp::endpoint any_port(boost::asio::ip::address_v4::loopback(), 0);
        boost::system::error_code error;
        acceptor_.open(any_port.protocol(), error);
        throw_if_failed(error, "open a listening socket");
        acceptor_.bind(any_port, error);
        throw_if_failed(error, "bind to 127.0.0.1");
        acceptor_.listen(listen_backlog, error);
        throw_if_failed(error, "listen on 127.0.0.1");
        port_ = acceptor_.local_endpoint().port();
    }

    task<stream> accept() {
        auto [error, peer] = co_await acceptor_.async_accept(error_as_value);
        throw_if_failed(error, "accept");
        co_return stream(std::move(peer));
    }

    std::uint16_t port() const { return port_; }

    void close() {
        boost::system::error_code ignored;
        acceptor_.close(ignored);
    }

private:
    boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, executor> acceptor_;
    std::uint16_t port_ = 0;
};

/// A listener at a path, which must not exist and is left behind. It must not be moved while an accept is pending.
class unix_listener {
public:
    /// Throws std::system_error; the path has at most 107 characters.
    unix_listener(const executor& loop, std::string_view path) : acceptor_(loop) {
        boost::system::error_code error;
        acceptor_.open({}, error);
        throw_if_failed(error, "open a listening Unix socket");
        acceptor_.bind(path, error);
        throw_if_failed(error, "bind to a path");
        acceptor_.listen(listen_backlog, error);
        throw_if_failed(error, "listen on a path");
    }

    task<unix_stream> accept() {
        auto [error, peer] = co_await acceptor_.async_accept(error_as_value);
        throw_if_failed(error, "accept");
        co_return unix_stream(std::move(peer));
    }

    void close() {
        boost::system::error_code ignored;
        acceptor_.close(ignored);
    }

private:
    boost::asio::basic_socket_acceptor<boost::asio::local::stream_protocol, executor> acceptor_;
};

}  // namespace loopbench::asio_ref
