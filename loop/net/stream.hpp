#pragma once

#include "loop/loop.hpp"

namespace loopbench::loop {

/// A descriptor of a loop. close() first informs the driver, so that later events of this descriptor do not
/// reach the next descriptor with the same number.
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

    /// Closes the descriptor; pending operations complete with ECANCELED.
    void close() noexcept;

    /// Gives up the descriptor, for example so that another loop can use it. No operation may be pending, and
    /// a stream must not have been read, because on io_uring, its loop might already have received data.
    unique_fd release() noexcept {
        io_->unwatch(fd_.get());
        return std::move(fd_);
    }

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
/// a read or write must exist until the operation completes.
template <io_kind Input, io_kind Output>
class byte_stream : public descriptor {
public:
    using descriptor::descriptor;

    /// Reads at least one byte; 0 bytes mean the end of the stream.
    transfer_awaiter read_some(std::span<std::byte> buffer) noexcept {
        return {io(), Input, native_handle(), buffer};
    }

    /// Writes all bytes. The await completes when the kernel has accepted all of them, or after the first
    /// error.
    transfer_awaiter write_all(std::span<const std::byte> bytes) noexcept {
        return {io(), Output, native_handle(), bytes};
    }
};

class stream : public byte_stream<io_kind::receive, io_kind::send> {
public:
    using byte_stream::byte_stream;

    void shutdown_write() noexcept { ::shutdown(native_handle(), SHUT_WR); }
};

class listener : public descriptor {
public:
    using descriptor::descriptor;

    /// Waits for the next connection and returns it, with TCP_NODELAY set. Skips connections whose peers have
    /// already closed them. If the process or the system is out of descriptors or memory, tries again after a
    /// pause, because the listener stays ready. Throws std::system_error; the error is ECANCELED if the
    /// listener is closed.
    task<stream> accept();

    std::uint16_t port() const { return local_endpoint(native_handle()).port(); }
};

}  // namespace loopbench::loop
