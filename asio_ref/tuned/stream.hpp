// Sockets over Asio's operations, awaited directly.
//
// A write is tried at once and completes without the queue when the kernel takes everything, which is nearly always:
// Asio tries too, but passes the result through its queue. A read is left to Asio, which tries and then waits for the
// edge; to wait first (async_wait) would save the try and make epoll_ctl each time, which costs more.
#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "asio_ref/tuned/completion.hpp"
#include "asio_ref/tuned/scheduler.hpp"
#include "asio_ref/types.hpp"

namespace loopbench::asio_ref::tuned {

/// One read of anything that has async_read_some().
template <class Source>
class read_awaiter : public completion_awaiter {
public:
    read_awaiter(scheduler& owner, Source& source, std::span<std::byte> in) noexcept
        : completion_awaiter(owner), source_(source), in_(in) {}

    void await_suspend(std::coroutine_handle<> waiter) {
        suspend(waiter);
        source_.async_read_some(boost::asio::buffer(in_.data(), in_.size()),
                                completion_handler<read_awaiter>{this});
    }
    io_result await_resume() const noexcept { return result_; }

    void completed(const boost::system::error_code& error, std::size_t bytes) {
        result_ = to_io_result(error, bytes);
        go_on();
    }
    operation_storage<176> storage;

private:
    Source& source_;
    std::span<std::byte> in_;
    io_result result_;
};

/// Writes until the kernel has taken every byte. The sink is in non-blocking mode.
template <class Sink>
class write_awaiter : public completion_awaiter {
public:
    write_awaiter(scheduler& owner, Sink& sink, std::span<const std::byte> out) noexcept
        : completion_awaiter(owner), sink_(sink), rest_(out) {}

    bool await_ready() { return write_the_rest() && owner().may_complete_inline(result_.bytes); }

    void await_suspend(std::coroutine_handle<> waiter) {
        suspend(waiter);
        if (done_) {
            boost::asio::post(owner().get_executor(), completion_handler<write_awaiter>{this});
        } else {
            wait();
        }
    }
    io_result await_resume() const noexcept { return result_; }

    void completed() { go_on(); }
    void completed(const boost::system::error_code& error, std::size_t bytes) {
        if (account(error, bytes) || write_the_rest()) {
            go_on();
        } else {
            wait();
        }
    }
    operation_storage<176> storage;

private:
    void wait() {
        sink_.async_write_some(boost::asio::buffer(rest_.data(), rest_.size()),
                               completion_handler<write_awaiter>{this});
    }

    /// False when the kernel takes no more for now.
    bool write_the_rest() {
        while (!done_) {
            boost::system::error_code error;
            const std::size_t bytes =
                sink_.write_some(boost::asio::buffer(rest_.data(), rest_.size()), error);
            if (error == boost::asio::error::would_block) return false;
            account(error, bytes);
        }
        return true;
    }

    /// True when that was the end.
    bool account(const boost::system::error_code& error, std::size_t bytes) noexcept {
        result_.bytes += bytes;
        rest_ = rest_.subspan(bytes);
        // Closed between two pieces: the next one finds no socket.
        if (error) result_.error = error == boost::asio::error::bad_descriptor ? ECANCELED : error.value();
        done_ = error || rest_.empty();
        return done_;
    }

    Sink& sink_;
    std::span<const std::byte> rest_;
    io_result result_;
    bool done_ = false;
};

/// A connected stream. It must not be moved while an operation on it is pending.
template <class Protocol>
class basic_stream {
public:
    using socket = boost::asio::basic_stream_socket<Protocol, executor>;

    /// Takes over a connected socket and, for TCP, sets TCP_NODELAY. Throws std::system_error.
    basic_stream(scheduler& owner, socket connected) : owner_(&owner), socket_(std::move(connected)) {
        boost::system::error_code error;
        socket_.non_blocking(true, error);  // for our own attempts; the operations do not mind
        throw_if_failed(error, "set a socket to non-blocking");
        if constexpr (std::is_same_v<Protocol, boost::asio::ip::tcp>) {
            socket_.set_option(boost::asio::ip::tcp::no_delay(true), error);
            throw_if_failed(error, "set TCP_NODELAY");
        }
    }

    read_awaiter<socket> read_some(std::span<std::byte> in) noexcept { return {*owner_, socket_, in}; }
    write_awaiter<socket> write_all(std::span<const std::byte> out) noexcept {
        return {*owner_, socket_, out};
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
    using acceptor = boost::asio::basic_socket_acceptor<Protocol, executor>;
    using stream = basic_stream<Protocol>;

    /// Throws std::system_error.
    basic_listener(scheduler& owner, const typename Protocol::endpoint& local)
        : owner_(&owner), acceptor_(owner.get_executor()) {
        boost::system::error_code error;
        acceptor_.open(local.protocol(), error);
        throw_if_failed(error, "open a listening socket");
        acceptor_.bind(local, error);
        throw_if_failed(error, "bind a listening socket");
        acceptor_.listen(backlog, error);
        throw_if_failed(error, "listen");
    }

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

    /// Of TCP only.
    std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

    void close() {
        boost::system::error_code ignored;
        acceptor_.close(ignored);
    }

private:
    static constexpr int backlog = 4096;

    scheduler* owner_;
    acceptor acceptor_;
};

}  // namespace loopbench::asio_ref::tuned
