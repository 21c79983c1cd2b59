// Stream sockets: TCP and Unix.
#pragma once

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "loop/clock.hpp"
#include "loop/net/endpoint.hpp"
#include "loop/net/io_awaiter.hpp"
#include "loop/net/socket_calls.hpp"
#include "loop/system_error.hpp"
#include "loop/task.hpp"
#include "loop/unique_fd.hpp"

namespace loopbench::loop {

/// A descriptor that belongs to a loop. Closing it tells the driver first, so that operations that wait on it
/// end with ECANCELED and none of its events reaches the next descriptor of the same number.
template <class Loop>
class descriptor {
public:
    descriptor() = default;
    descriptor(Loop& loop, unique_fd fd) noexcept : loop_(&loop), fd_(std::move(fd)) {}
    descriptor(descriptor&&) noexcept = default;
    descriptor& operator=(descriptor&& other) noexcept {
        if (this != &other) {
            close();
            loop_ = other.loop_;
            fd_ = std::move(other.fd_);
        }
        return *this;
    }
    ~descriptor() { close(); }

    /// Pending operations complete with ECANCELED. Closing twice is harmless.
    void close() noexcept {
        if (!fd_) return;
        loop_->driver().forget(fd_.get());
        fd_.reset();
    }

    int native_handle() const noexcept { return fd_.get(); }
    bool is_open() const noexcept { return static_cast<bool>(fd_); }
    Loop& loop() const noexcept { return *loop_; }

private:
    Loop* loop_ = nullptr;
    unique_fd fd_;
};

/// A connected stream. One read and one write may be pending at a time; buffers must live until they
/// complete.
template <class Loop>
class basic_stream : public descriptor<Loop> {
public:
    using descriptor<Loop>::descriptor;

    /// Awaitable, gives an io_result: at least one byte, the end of the stream (0 bytes), or an error.
    auto read_some(std::span<std::byte> buffer) noexcept {
        return read_awaiter<Loop>(this->loop(), io_kind::receive, this->native_handle(), buffer);
    }

    /// Awaitable, gives an io_result: all bytes taken by the kernel, or the first error.
    auto write_all(std::span<const std::byte> bytes) noexcept {
        return write_all_awaiter<Loop>(this->loop(), io_kind::send, this->native_handle(), bytes);
    }

    /// Half close: the peer's reads end; ours go on.
    void shutdown_write() noexcept { ::shutdown(this->native_handle(), SHUT_WR); }
};

/// A listening socket.
template <class Loop>
class basic_listener : public descriptor<Loop> {
public:
    using descriptor<Loop>::descriptor;

    /// The next connection, TCP_NODELAY set; one that came to grief on its way is not reported. When the
    /// process or the system is out of descriptors or memory the connection stays in the backlog and accept()
    /// tries again after a pause, instead of spinning on a listener that is ready and cannot be served.
    /// Throws std::system_error: ECANCELED when the listener is closed.
    task<basic_stream<Loop>> accept() {
        nanoseconds pause = shortest_pause;
        for (;;) {
            const std::int64_t result =
                co_await io_awaiter<Loop>(this->loop(), io_kind::accept, this->native_handle());
            if (result >= 0) {
                unique_fd fd(static_cast<int>(result));
                set_no_delay(fd.get());
                co_return basic_stream<Loop>(this->loop(), std::move(fd));
            }
            const int error = static_cast<int>(-result);
            if (error == ECONNABORTED || error == EPROTO) continue;  // the peer was gone before we came
            if (!out_of_resources(error) && !is_of_the_connection(error)) throw_errno("accept", error);
            co_await this->loop().sleep_for(pause);
            if (!this->is_open()) throw_errno("accept", ECANCELED);
            pause = std::min(2 * pause, longest_pause);
        }
    }

    std::uint16_t port() const { return local_endpoint(this->native_handle()).port(); }

private:
    static constexpr nanoseconds shortest_pause = std::chrono::milliseconds(1);
    static constexpr nanoseconds longest_pause = std::chrono::seconds(1);

    // What has befallen one connection, which is gone then: "treat them like EAGAIN by retrying" (accept(2)).
    // EPERM is the firewall's. With a pause all the same, since a broken network breaks the next one too.
    static constexpr bool is_of_the_connection(int error) noexcept {
        switch (error) {
            case ENETDOWN:
            case ENOPROTOOPT:
            case EHOSTDOWN:
            case ENONET:
            case EHOSTUNREACH:
            case EOPNOTSUPP:
            case ENETUNREACH:
            case EPERM:
                return true;
            default:
                return false;
        }
    }

    static constexpr bool out_of_resources(int error) noexcept {
        return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
    }
};

/// A stream connected to `peer`, TCP_NODELAY set. Throws std::system_error naming the peer.
template <class Loop>
task<basic_stream<Loop>> connect_stream(Loop& loop, endpoint peer) {
    basic_stream<Loop> stream(loop, open_stream(peer.family()));
    set_no_delay(stream.native_handle());
    io_awaiter<Loop> connecting(loop, io_kind::connect, stream.native_handle());
    connecting.set_address(&peer.address(), peer.bytes());
    const std::int64_t result = co_await connecting;
    if (result < 0) throw_errno("connect to " + peer.to_string(), static_cast<int>(-result));
    co_return std::move(stream);
}

}  // namespace loopbench::loop
