#pragma once

#include <boost/asio/basic_stream_socket.hpp>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "asio_ref/socket.hpp"
#include "asio_ref/tuned/completion.hpp"
#include "asio_ref/tuned/scheduler.hpp"
#include "asio_ref/tuned/transfer.hpp"
#include "asio_ref/types.hpp"

namespace loopbench::asio_ref::tuned {

/// A connected stream. It must not be moved while an operation on it is pending.
template <class Protocol>
class basic_stream {
public:
    using socket = boost::asio::basic_stream_socket<Protocol, executor>;

    /// Takes over a connected socket, and sets TCP_NODELAY on a TCP socket. Throws std::system_error.
    basic_stream(scheduler& owner, socket connected) : owner_(&owner), socket_(std::move(connected)) {
        boost::system::error_code error;
        socket_.non_blocking(true, error);  // needed by write_some(), not by Asio's operations
        throw_if_failed(error, "cannot set a socket to non-blocking mode");
        set_stream_options(socket_);
    }

    read_awaiter<socket> read_some(std::span<std::byte> in) noexcept { return {*owner_, socket_, in}; }
    write_awaiter<socket> write_all(std::span<const std::byte> out) noexcept {
        return {*owner_, socket_, out};
    }

    void shutdown_write() { shut_down_sending(socket_); }
    void close() { close_quietly(socket_); }
    int native_handle() { return socket_.native_handle(); }

private:
    scheduler* owner_;
    socket socket_;
};

template <class Protocol>
class connect_awaiter : public completion_awaiter {
public:
    using stream = basic_stream<Protocol>;

    connect_awaiter(scheduler& owner, typename Protocol::endpoint peer)
        : completion_awaiter(owner), socket_(owner.get_executor()), peer_(std::move(peer)) {}

    void await_suspend(std::coroutine_handle<> waiter) {
        suspend(waiter);
        socket_.async_connect(peer_, completion_handler<connect_awaiter>{this});
    }
    stream await_resume() {
        throw_if_failed(error_, "connect");
        return stream(owner(), std::move(socket_));
    }

    void completed(const boost::system::error_code& error) {
        error_ = error;
        go_on();
    }
    operation_storage<176> storage;

private:
    typename stream::socket socket_;
    typename Protocol::endpoint peer_;
    boost::system::error_code error_;
};

/// A listening socket. It must not be moved while an accept is pending.
template <class Protocol>
class basic_listener {
public:
    using acceptor = asio_ref::acceptor<Protocol>;
    using stream = basic_stream<Protocol>;

    /// Listens on `local`. Throws std::system_error.
    basic_listener(scheduler& owner, const typename Protocol::endpoint& local)
        : owner_(&owner), acceptor_(open_acceptor<Protocol>(owner.get_executor(), local)) {}

    class accept_awaiter : public completion_awaiter {
    public:
        accept_awaiter(scheduler& owner, acceptor& on)
            : completion_awaiter(owner), acceptor_(on), peer_(owner.get_executor()) {}

        void await_suspend(std::coroutine_handle<> waiter) {
            suspend(waiter);
            acceptor_.async_accept(peer_, completion_handler<accept_awaiter>{this});
        }
        stream await_resume() {
            throw_if_failed(error_, "accept");
            return stream(owner(), std::move(peer_));
        }

        void completed(const boost::system::error_code& error) {
            error_ = error;
            go_on();
        }
        operation_storage<176> storage;

    private:
        acceptor& acceptor_;
        typename stream::socket peer_;
        boost::system::error_code error_;
    };

    accept_awaiter accept() { return {*owner_, acceptor_}; }

    std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

    void close() { close_quietly(acceptor_); }

private:
    scheduler* owner_;
    acceptor acceptor_;
};

}  // namespace loopbench::asio_ref::tuned
