// Stream sockets: TCP and Unix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "loop/coro/task.hpp"
#include "loop/io/fd.hpp"
#include "loop/io/io.hpp"
#include "loop/loop.hpp"
#include "loop/net/sockets.hpp"

namespace loopbench::loop {

/// A descriptor that belongs to a loop. Closing it tells the driver first, so that operations that wait on it
/// end with ECANCELED and none of its events reaches the next descriptor of the same number.
class descriptor {
public:
    descriptor() = default;
    descriptor(event_loop& loop, unique_fd fd) noexcept : loop_(&loop), io_(&loop.io()), fd_(std::move(fd)) {}
    descriptor(descriptor&&) noexcept = default;
    descriptor& operator=(descriptor&& other) noexcept;
    ~descriptor() { close(); }

    /// Pending operations complete with ECANCELED. Closing twice is harmless.
    void close() noexcept;

    int native_handle() const noexcept { return fd_.get(); }
    bool is_open() const noexcept { return static_cast<bool>(fd_); }
    event_loop& loop() const noexcept { return *loop_; }
    driver& io() const noexcept { return *io_; }

private:
    event_loop* loop_ = nullptr;
    driver* io_ = nullptr;
    unique_fd fd_;
};

/// A connected stream. One read and one write may be pending at a time; buffers must live until they
/// complete.
class stream : public descriptor {
public:
    using descriptor::descriptor;

    /// Awaitable, gives an io_result: at least one byte, the end of the stream (0 bytes), or an error.
    transfer_awaiter read_some(std::span<std::byte> buffer) noexcept {
        return {io(), io_kind::receive, native_handle(), buffer};
    }

    /// Awaitable, gives an io_result: all bytes taken by the kernel, or the first error.
    transfer_awaiter write_all(std::span<const std::byte> bytes) noexcept {
        return {io(), io_kind::send, native_handle(), bytes};
    }

    /// Half close: the peer's reads end; ours go on.
    void shutdown_write() noexcept;
};

/// A listening socket.
class listener : public descriptor {
public:
    using descriptor::descriptor;

    /// The next connection, TCP_NODELAY set; one whose peer was gone before we came is skipped. When the
    /// process or the system is out of descriptors or memory the connection stays in the backlog and accept()
    /// tries again after a pause, instead of spinning on a listener that is ready and cannot be served.
    /// Throws std::system_error: ECANCELED when the listener is closed.
    task<stream> accept();

    std::uint16_t port() const;
};

/// A stream connected to `peer`, TCP_NODELAY set. Throws std::system_error naming the peer.
task<stream> connect_stream(event_loop& loop, endpoint peer);

}  // namespace loopbench::loop
