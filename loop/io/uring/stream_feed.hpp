// What arrives on a stream before somebody asks for it.
//
// A stream is fed by one multishot receive, which stays armed and puts what arrives into buffers of ours; a
// read then finds its data without the kernel, and cancelling a read touches nothing. The price is a copy,
// and that the kernel receives whether or not anyone reads. So a feed that runs ahead of its reader is
// stopped, which leaves the rest to TCP's flow control, and receives go straight into the callers' buffers
// until one of them has drained the socket.
//
// The buffers are shared by all streams: a ring that the process fills and the kernel takes from
// (IORING_REGISTER_PBUF_RING). The ring is in order, so every buffer in it is touched in turn: with all of
// them in it, a loop that needs ten at a time would walk through two megabytes. So it starts with a few and
// more are added when they have run out, up to the limit; memory that was never added is never touched. When
// the limit is reached too, since some readers are slow, all streams receive straight into the callers'
// buffers until a good part of the buffers is back: to arm a feed that ends at once for want of a buffer
// would make two requests of every read.
#pragma once

#include <liburing.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "loop/io/io.hpp"
#include "loop/io/uring/ring.hpp"

namespace loopbench::loop {

/// What has arrived on one stream: buffers, linked through their numbers.
struct arrived_bytes {
    std::uint16_t first = 0;  // meaningful, like the next two, only while there are any
    std::uint16_t last = 0;
    std::uint32_t consumed_bytes = 0;  // of the first
    std::uint32_t bytes = 0;           // in all of them, less what was consumed
    std::uint32_t count = 0;

    bool empty() const noexcept { return count == 0; }
};

class provided_buffers {
public:
    static constexpr int group = 0;
    static constexpr std::size_t buffer_bytes = 2048;

    /// Throws std::system_error. The ring must outlive this object.
    provided_buffers(io_uring& ring, unsigned count_max);
    provided_buffers(const provided_buffers&) = delete;
    provided_buffers& operator=(const provided_buffers&) = delete;
    ~provided_buffers();

    /// The kernel has found none: doubles their number. False when the limit is reached.
    bool grow() noexcept;
    /// Whether they had run out at the limit, and less than a quarter is back.
    bool are_scarce() const noexcept { return scarce_; }

    /// The kernel has put `bytes` into this one.
    void append(arrived_bytes& arrived, std::uint16_t buffer, std::uint32_t bytes) noexcept;
    /// The kernel has taken this one, and may fill it again.
    void release_unread(std::uint16_t buffer) noexcept;

    /// Moves as much as fits, and releases buffers that are empty then.
    std::size_t take(arrived_bytes& arrived, std::span<std::byte> to) noexcept;
    void discard(arrived_bytes& arrived) noexcept;

private:
    struct content {
        std::uint32_t bytes;
        std::uint16_t next;
    };

    std::byte* data_of(std::size_t buffer) const noexcept { return data_ + buffer * buffer_bytes; }
    void release(std::uint16_t buffer) noexcept;
    void release_first(arrived_bytes& arrived) noexcept;

    static constexpr unsigned count_at_first = 64;

    io_uring& owner_;
    unsigned count_max_;
    unsigned count_ = 0;      // in use, by the kernel or by us
    unsigned available_ = 0;  // to the kernel
    bool scarce_ = false;
    std::size_t mapped_bytes_;
    io_uring_buf_ring* ring_;
    std::byte* data_;
    std::vector<content> contents_;
};

/// The feed of one stream. Its functions take what all feeds share.
class stream_feed {
public:
    bool is_stopped() const noexcept { return state_ == state::stopped; }
    /// Whether a receive is to wait for this feed, which may have to be started, or is to be a request of its
    /// own.
    bool is_usable(const provided_buffers& buffers) const noexcept {
        return !is_stopped() || (!ahead_ && !buffers.are_scarce());
    }
    /// The number that its completions carry: changes with every reset().
    std::uint32_t generation() const noexcept { return generation_; }

    /// Completes a receive, or a wait for readability, with what has arrived, or with how the stream has
    /// ended. False when there is nothing.
    bool take(io_operation& op, provided_buffers& buffers) noexcept;

    /// Fills in the request that feeds.
    void start(io_uring_sqe& sqe, int fd) noexcept;
    /// A request to cancel it has been made.
    void stopping() noexcept;
    /// Whether it is to be stopped, since more has arrived than was asked for.
    bool runs_ahead() const noexcept;

    void on_completion(const io_uring_cqe& cqe, provided_buffers& buffers) noexcept;
    /// A receive that was a request of its own has given so much less than it asked for.
    void on_short_receive(std::int64_t bytes) noexcept;

    /// The descriptor is about to be closed.
    void reset(provided_buffers& buffers) noexcept;

    operation_queue waiting;  // for what it brings
    bool has_news = false;    // the driver's: it has noted that something came, or can be started

private:
    enum class state : std::uint8_t { stopped, running, stopping };

    // What may have arrived on one stream before its feed is stopped; or, at once, one buffer's worth of
    // bytes, since for longer messages a receive into the caller's own buffer is cheaper than several into
    // ours and a copy.
    static constexpr std::uint32_t buffers_max = 8;

    arrived_bytes arrived_;
    std::uint32_t generation_ = 0;
    int end_ = 0;         // how the stream has ended: 0, or a negated errno
    bool ended_ = false;  // and nobody has been told yet
    bool ahead_ = false;  // it was faster than the reader, and has left something in the socket
    state state_ = state::stopped;
};

}  // namespace loopbench::loop
