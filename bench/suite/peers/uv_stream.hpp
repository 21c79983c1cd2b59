// Sockets and pipes on libuv (see Stream and Listener in bench/suite/runtime.hpp).
//
// A libuv handle lives until its close callback, which runs in a later turn of the loop. The handle therefore
// has its own memory block, with the requests for the pending read and write.
#pragma once

#include <uv.h>

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "bench/suite/peers/library_loop.hpp"
#include "loop/io/io.hpp"
#include "loop/net/sockets.hpp"

namespace loopbench::bench::peers {

/// Throws std::system_error if `result`, the result of libuv's function `what`, is an error.
void uv_checked(int result, const char* what);

struct uv_read_awaiter;
struct uv_write_awaiter;
class uv_accept_awaiter;
class uv_connect_awaiter;

/// A socket, which frees itself after uv_close(). An awaiter and its socket point to each other only during
/// the wait, because either of them can be destroyed before the coroutine continues.
struct uv_socket {
    /// A TCP or Unix socket; libuv uses its pipe type for Unix sockets.
    union any_stream {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_tcp_t tcp;
        uv_pipe_t pipe;
    } of{};
    uv_connect_t connecting{};
    uv_write_t writing{};
    uv_read_awaiter* reader = nullptr;
    uv_write_awaiter* writer = nullptr;
    uv_connect_awaiter* connector = nullptr;
    uv_accept_awaiter* acceptor = nullptr;
    bool holds_connection = false;  // libuv has accepted a connection that accept() has not taken yet
    bool filled_the_buffer = false;

    static uv_socket* open(uv_loop_t& loop, int family);

    bool is_tcp() const noexcept { return of.handle.type == UV_TCP; }
    int family() const noexcept { return is_tcp() ? AF_INET : AF_UNIX; }
    uv_stream_t* stream() noexcept { return &of.stream; }
    int fd() const noexcept;
    void close() noexcept;
};

class uv_socket_owner {
public:
    uv_socket_owner() = default;
    explicit uv_socket_owner(uv_socket* socket) noexcept : socket_(socket) {}
    uv_socket_owner(uv_socket_owner&& other) noexcept : socket_(std::exchange(other.socket_, nullptr)) {}
    uv_socket_owner& operator=(uv_socket_owner&& other) noexcept {
        if (this != &other) {
            reset();
            socket_ = std::exchange(other.socket_, nullptr);
        }
        return *this;
    }
    ~uv_socket_owner() { reset(); }

    void reset() noexcept {
        if (socket_ != nullptr) std::exchange(socket_, nullptr)->close();
    }
    uv_socket* get() const noexcept { return socket_; }

private:
    uv_socket* socket_ = nullptr;
};

/// A read. libuv continues to read until data arrives for which no coroutine waits. A stop after every
/// message would cost two system calls per message.
struct uv_read_awaiter : callback_awaiter {
    uv_read_awaiter(library_loop& owner, uv_socket* from, std::span<std::byte> into) noexcept
        : callback_awaiter(owner), socket(from), buffer(into) {}
    ~uv_read_awaiter() {
        if (socket != nullptr && socket->reader == this) socket->reader = nullptr;
    }

    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> waiter) {
        wait(waiter);
        start();
    }
    loop::io_result await_resume() noexcept { return result; }

    void start() noexcept;
    void complete_with(ssize_t outcome) noexcept;

    uv_socket* socket;
    std::span<std::byte> buffer;
    loop::io_result result{};
};

/// A write. uv_try_write sends the bytes that the kernel accepts at once, and uv_write sends the rest.
struct uv_write_awaiter : callback_awaiter {
    uv_write_awaiter(library_loop& owner, uv_socket* to, std::span<const std::byte> bytes) noexcept
        : callback_awaiter(owner), socket(to), rest(bytes) {}
    ~uv_write_awaiter() {
        if (socket != nullptr && socket->writer == this) socket->writer = nullptr;
    }

    bool await_ready() noexcept {
        return (done = try_to_write()) && owner().may_complete_inline(result.bytes);
    }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> waiter) noexcept {
        wait(waiter);
        if (!done && start()) return;
        socket = nullptr;
        queue();
    }
    loop::io_result await_resume() const noexcept { return result; }

    bool try_to_write() noexcept;
    bool start() noexcept;

    uv_socket* socket;
    std::span<const std::byte> rest;
    loop::io_result result{};
    bool done = false;
};

class uv_connection {
public:
    /// Takes over a connected socket. Sets TCP_NODELAY if it is a TCP socket. Throws std::system_error.
    uv_connection(library_loop& owner, uv_socket_owner connected);

    uv_read_awaiter read_some(std::span<std::byte> in) noexcept { return {*owner_, socket_.get(), in}; }
    uv_write_awaiter write_all(std::span<const std::byte> out) noexcept {
        return {*owner_, socket_.get(), out};
    }
    void shutdown_write() noexcept;
    void close() noexcept { socket_.reset(); }
    int native_handle() const noexcept { return socket_.get() != nullptr ? socket_.get()->fd() : -1; }

private:
    library_loop* owner_;
    uv_socket_owner socket_;
};

class uv_connect_awaiter : public callback_awaiter {
public:
    uv_connect_awaiter(library_loop& owner, uv_loop_t& loop, const loop::endpoint& peer)
        : callback_awaiter(owner), socket_(uv_socket::open(loop, peer.family())), peer_(peer) {}

    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> waiter) noexcept {
        wait(waiter);
        start();
    }
    uv_connection await_resume();

    void go_on(int status) noexcept {
        status_ = status;
        completed();
    }

private:
    void start() noexcept;

    uv_socket_owner socket_;
    loop::endpoint peer_;
    int status_ = 0;
};

class uv_accept_awaiter : public callback_awaiter {
public:
    uv_accept_awaiter(library_loop& owner, uv_socket* listener) noexcept
        : callback_awaiter(owner), listener_(listener) {}
    ~uv_accept_awaiter() {
        if (listener_ != nullptr && listener_->acceptor == this) listener_->acceptor = nullptr;
    }

    bool await_ready() noexcept {
        return listener_ != nullptr && listener_->holds_connection && take() &&
               owner().may_complete_inline(0);
    }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> waiter) noexcept {
        wait(waiter);
        if (listener_ == nullptr || error_ != 0 || accepted_.get() != nullptr) {
            queue();
        } else {
            listener_->acceptor = this;
        }
    }
    uv_connection await_resume();

    /// Ends the wait. This function is called once, when libuv holds a connection or the listener is closed.
    void go_on(bool closed) noexcept {
        if (closed) {
            listener_ = nullptr;
            queue();
        } else {
            take();
            completed();
        }
    }

private:
    bool take() noexcept;

    uv_socket* listener_;
    uv_socket_owner accepted_;
    int error_ = 0;
};

/// A listener. libuv accepts connections automatically, and holds one until accept() takes it. If the
/// listener has a path, libuv deletes the path when the listener is closed.
class uv_listener {
public:
    uv_listener(library_loop& owner, uv_loop_t& loop, const loop::endpoint& local);
    /// Takes over a TCP socket that already listens.
    uv_listener(library_loop& owner, uv_loop_t& loop, loop::unique_fd listening);

    uv_accept_awaiter accept() noexcept { return {*owner_, socket_.get()}; }
    std::uint16_t port() const;
    void close() noexcept { socket_.reset(); }

private:
    library_loop* owner_;
    uv_socket_owner socket_;
};

}  // namespace loopbench::bench::peers
