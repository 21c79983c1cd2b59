// A descriptor that belongs to a loop, and stream sockets (TCP and Unix).
#pragma once

#include "loop/loop.hpp"

namespace loopbench::loop {

/// A descriptor that belongs to a loop. close() first informs the driver. Therefore later events of this
/// descriptor do not reach the next descriptor with the same number.
class descriptor {
public:
    descriptor() = default;
    descriptor(event_loop& loop, unique_fd fd) noexcept : loop_(&loop), io_(&loop.io()), fd_(std::move(fd)) {}
    descriptor(descriptor&&) noexcept = default;
    descriptor& operator=(descriptor other) noexcept {
        std::swap(loop_, other.loop_);
        std::swap(io_, other.io_);
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~descriptor() { close(); }

    /// Closes the descriptor; pending operations complete with ECANCELED. Does nothing if the descriptor is
    /// already closed.
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

/// A descriptor for reading and writing bytes. One read and one write may be pending at a time. The buffer of
/// an operation must exist until the operation completes.
template <io_kind Input, io_kind Output>
class byte_stream : public descriptor {
public:
    using descriptor::descriptor;

    /// Reads some bytes. The await returns an io_result: at least one byte, the end of the stream (0 bytes),
    /// or an error.
    transfer_awaiter read_some(std::span<std::byte> buffer) noexcept {
        return {io(), Input, native_handle(), buffer};
    }

    /// Writes all bytes. The await returns an io_result when the kernel has accepted all bytes, or after the
    /// first error.
    transfer_awaiter write_all(std::span<const std::byte> bytes) noexcept {
        return {io(), Output, native_handle(), bytes};
    }
};

/// A connected socket.
class stream : public byte_stream<io_kind::receive, io_kind::send> {
public:
    using byte_stream::byte_stream;

    /// Closes the write side: the peer reads the end of the stream, and our own reads still work.
    void shutdown_write() noexcept { ::shutdown(native_handle(), SHUT_WR); }
};

/// A listening socket.
class listener : public descriptor {
public:
    using descriptor::descriptor;

    /// Waits for the next connection and returns it, with TCP_NODELAY set. Skips a connection whose peer has
    /// already closed it. If the process or the system is out of descriptors or memory, the connection stays
    /// in the backlog, and accept() tries again after a pause. (Without the pause, accept() would spin,
    /// because the listener stays ready.) Throws std::system_error; the error is ECANCELED if the listener is
    /// closed.
    task<stream> accept();

    std::uint16_t port() const { return local_endpoint(native_handle()).port(); }
};

}  // namespace loopbench::loop
