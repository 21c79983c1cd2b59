// Data that arrives on a stream before a read asks for it.
//
// A stream is fed by one multishot receive, which stays armed and puts the received data into our buffers. A
// read then finds its data without the kernel, and cancelling a read affects nothing. The costs: the data is
// copied, and the kernel receives even if no task reads. So a feed that runs ahead of its reader is stopped,
// which leaves the rest to TCP's flow control. Then receives go directly into the callers' buffers until one
// of them has drained the socket.
//
// All streams share the buffers: a ring that the process fills and from which the kernel takes
// (IORING_REGISTER_PBUF_RING). The ring is in order, so its buffers are used one after another: with all
// buffers in it, a loop that needs ten at a time would walk through two megabytes. So the ring starts with a
// few buffers, doubles their number when they run out, up to the limit, and halves it again after a burst. If
// the limit is reached because some readers are slow, all streams receive directly into the callers' buffers
// until a quarter of the buffers is back: a feed that is armed and ends immediately because it has no buffer
// would make two requests of every read.
#pragma once

#include <liburing.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "loop/io/fd.hpp"
#include "loop/io/io.hpp"

namespace loopbench::loop {

/// The data that has arrived on one stream: buffers, linked through their numbers.
struct arrived_bytes {
    std::uint16_t first = 0;  // these two are meaningful only while there are buffers
    std::uint16_t last = 0;
    std::uint32_t count = 0;
    std::uint32_t bytes = 0;  // in all of them, without the bytes already taken

    bool empty() const noexcept { return count == 0; }
};

class provided_buffers {
public:
    static constexpr int group = 0;
    static constexpr std::size_t buffer_bytes = 2048;

    /// Throws std::system_error. The ring must outlive this object.
    provided_buffers(io_uring& ring, unsigned count_max)
        : owner_(ring),
          count_max_(count_max),
          ring_bytes_((count_max * sizeof(io_uring_buf) + page_bytes - 1) / page_bytes * page_bytes),
          contents_(count_max) {
        void* const memory =
            ::mmap(nullptr, mapped_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw_errno("mmap of receive buffers");
        ring_ = static_cast<io_uring_buf_ring*>(memory);
        try {
            begin();
        } catch (...) {
            ::munmap(memory, mapped_bytes());
            throw;
        }
    }
    provided_buffers& operator=(provided_buffers&&) = delete;
    ~provided_buffers() {
        io_uring_unregister_buf_ring(&owner_, group);
        ::munmap(ring_, mapped_bytes());
    }

    /// Registers the buffers with the ring, in which none are registered yet (or any more). Throws
    /// std::system_error.
    void begin() {
        io_uring_buf_reg registration{};
        registration.ring_addr = reinterpret_cast<std::uintptr_t>(ring_);
        registration.ring_entries = count_max_;
        registration.bgid = group;
        const int error = -io_uring_register_buf_ring(&owner_, &registration, 0);
        if (error != 0) {
            throw_errno(
                "io_uring refused: cannot register receive buffers; use Linux 6.1 or later, and raise the "
                "limit on locked memory (ulimit -l)",
                error);
        }
        io_uring_buf_ring_init(ring_);
        ring_->tail = 0;
        spare_.resize(count_max_);
        std::iota(spare_.rbegin(), spare_.rend(), std::uint16_t{0});
        available_ = 0;
        scarce_ = false;
        available_max_ = few();
        fill_ring();
    }

    /// Returns how many buffers the kernel can take.
    unsigned available() const noexcept { return available_; }

    /// Called when the kernel has found no buffer: doubles the number of buffers, once for all streams that
    /// ran out. Returns false if the limit is reached.
    bool grow() noexcept {
        if (available_ != 0) return true;
        available_max_ = std::min(2 * available_max_, count_max_);
        fill_ring();
        scarce_ = available_ == 0;
        return !scarce_;
    }

    /// Returns true if the buffers ran out at the limit, and less than a quarter of them is back.
    bool are_scarce() const noexcept { return scarce_; }

    /// Appends a buffer into which the kernel has put `bytes` bytes.
    void append(arrived_bytes& arrived, std::uint16_t buffer, std::uint16_t bytes) noexcept {
        least_available_ = std::min(least_available_, --available_);
        contents_[buffer] = {.begin = 0, .end = bytes, .next = 0};
        (arrived.empty() ? arrived.first : contents_[arrived.last].next) = buffer;
        arrived.last = buffer;
        arrived.bytes += bytes;
        ++arrived.count;
    }

    /// Releases a buffer that the kernel has taken, so that the kernel may fill it again.
    void release_unread(std::uint16_t buffer) noexcept {
        --available_;
        release(buffer);
    }

    /// Copies as many bytes as fit, and releases buffers that are then empty. Returns the number of bytes.
    std::size_t take(arrived_bytes& arrived, std::span<std::byte> to) noexcept {
        std::size_t taken = 0;
        while (!arrived.empty() && taken < to.size()) {
            content& from = contents_[arrived.first];
            const std::size_t count = std::min<std::size_t>(from.end - from.begin, to.size() - taken);
            std::memcpy(to.data() + taken, data_of(arrived.first) + from.begin, count);
            taken += count;
            from.begin = static_cast<std::uint16_t>(from.begin + count);
            arrived.bytes -= static_cast<std::uint32_t>(count);
            if (from.begin == from.end) release_first(arrived);
        }
        return taken;
    }

    void discard(arrived_bytes& arrived) noexcept {
        while (!arrived.empty()) release_first(arrived);
        arrived.bytes = 0;
    }

private:
    struct content {
        std::uint16_t begin;
        std::uint16_t end;
        std::uint16_t next;
    };

    static constexpr std::size_t page_bytes = 4096;
    static constexpr unsigned count_at_first = 64;
    static constexpr unsigned rounds_of_a_burst = 4;

    std::size_t mapped_bytes() const noexcept { return ring_bytes_ + count_max_ * buffer_bytes; }
    unsigned few() const noexcept { return std::min(count_at_first, count_max_); }
    unsigned plenty() const noexcept { return std::max(1U, available_max_ / 4); }
    std::byte* data_of(std::size_t buffer) const noexcept {
        return reinterpret_cast<std::byte*>(ring_) + ring_bytes_ + buffer * buffer_bytes;
    }

    void release(std::uint16_t buffer) noexcept {
        spare_.push_back(buffer);
        if (++released_ >= rounds_of_a_burst * available_max_) shrink_after_burst();
        fill_ring();
        if (scarce_ && available_ >= plenty()) scarce_ = false;
    }

    // Uses the latest buffer first, because it is still in the cache.
    void fill_ring() noexcept {
        const auto mask = static_cast<int>(count_max_ - 1);
        for (; available_ < available_max_ && !spare_.empty(); spare_.pop_back(), ++available_) {
            io_uring_buf_ring_add(ring_, data_of(spare_.back()), buffer_bytes, spare_.back(), mask, 0);
            io_uring_buf_ring_advance(ring_, 1);
        }
    }

    // Halves the number of buffers if more than half of them were not needed for some rounds.
    void shrink_after_burst() noexcept {
        if (least_available_ > available_max_ / 2) available_max_ = std::max(available_max_ / 2, few());
        least_available_ = available_;
        released_ = 0;
    }

    void release_first(arrived_bytes& arrived) noexcept {
        const std::uint16_t empty = arrived.first;
        arrived.first = contents_[empty].next;
        --arrived.count;
        release(empty);
    }

    io_uring& owner_;
    const unsigned count_max_;
    const std::size_t ring_bytes_;
    unsigned available_ = 0;      // in the ring
    unsigned available_max_ = 0;  // released buffers above this number are spare
    unsigned least_available_ = 0;
    unsigned released_ = 0;  // since the last check for a burst
    bool scarce_ = false;
    std::vector<std::uint16_t> spare_;  // the next one to use is last
    io_uring_buf_ring* ring_;           // the buffers follow it
    std::vector<content> contents_;
};

/// The feed of one descriptor. Its functions receive the buffers, which all feeds share.
class stream_feed {
public:
    /// Returns true if the feed delivers the arriving data. Then a receive waits for the feed, and so does an
    /// operation that waits for readability, because the socket is not readable while a feed drains it.
    bool is_armed() const noexcept { return state_ == state::running || state_ == state::stopping; }
    /// Returns true if the feed may be armed for a receive. Otherwise the receive becomes its own request.
    bool may_be_armed(const provided_buffers& buffers) const noexcept {
        return state_ == state::idle && !ahead_ && !buffers.are_scarce();
    }
    /// Returns true if the descriptor is closed, but the kernel still has the feed's request, which has to
    /// end.
    bool is_closed() const noexcept { return state_ == state::closed; }

    /// Completes a receive, or a wait for readability, with the arrived data or the end of the stream.
    /// Returns false if there is neither.
    bool take(io_operation& op, provided_buffers& buffers) noexcept {
        if (arrived_.empty() && !ended_) return false;
        if (op.kind == io_kind::readable) {
            op.result = 0;
        } else if (arrived_.empty()) {
            op.result = end_;
            ended_ = false;
        } else {
            op.result = static_cast<std::int64_t>(buffers.take(arrived_, std::span(op.data, op.size)));
        }
        return true;
    }

    /// Fills in the feed's multishot request.
    void arm(io_uring_sqe& sqe, int fd) noexcept {
        io_uring_prep_recv_multishot(&sqe, fd, nullptr, 0, 0);
        sqe.flags |= IOSQE_BUFFER_SELECT;
        sqe.buf_group = provided_buffers::group;
        state_ = state::running;
    }

    /// Returns true if the feed has to be stopped, because more has arrived than was asked for.
    bool runs_ahead() const noexcept {
        return state_ == state::running &&
               (arrived_.count > buffers_max || arrived_.bytes >= provided_buffers::buffer_bytes);
    }

    /// Called after a request to cancel the feed was submitted.
    void stop() noexcept {
        state_ = state::stopping;
        ahead_ = true;
    }

    /// Called before the descriptor is closed: data that the kernel still delivers does not belong to the
    /// next descriptor.
    void close(provided_buffers& buffers) noexcept {
        buffers.discard(arrived_);
        if (is_armed()) state_ = state::closed;
        ended_ = ahead_ = false;
    }

    void on_completion(const io_uring_cqe& cqe, provided_buffers& buffers) noexcept {
        if ((cqe.flags & IORING_CQE_F_BUFFER) != 0) {
            const auto buffer = static_cast<std::uint16_t>(cqe.flags >> IORING_CQE_BUFFER_SHIFT);
            if (cqe.res > 0 && !is_closed()) {
                buffers.append(arrived_, buffer, static_cast<std::uint16_t>(cqe.res));
            } else {
                buffers.release_unread(buffer);
            }
        }
        if ((cqe.flags & IORING_CQE_F_MORE) != 0) return;
        const state before = std::exchange(state_, state::idle);
        if (before == state::closed || cqe.res > 0 || cqe.res == -EINTR || cqe.res == -EAGAIN) return;
        if (cqe.res == -ECANCELED && before == state::stopping) return;
        if (cqe.res == -ENOBUFS) {
            ahead_ = !buffers.grow();
        } else {
            ended_ = true;
            end_ = cqe.res;
        }
    }

    /// Called when a separate receive request has returned fewer bytes than it asked for.
    void on_short_receive(std::int64_t bytes) noexcept {
        ahead_ = bytes >= static_cast<std::int64_t>(provided_buffers::buffer_bytes);
    }

private:
    enum class state : std::uint8_t { idle, running, stopping, closed };

    // How many buffers may have arrived on one stream before its feed is stopped. One buffer's worth of bytes
    // also stops it: it is cheaper to receive longer messages into the caller's own buffer than into several
    // of ours, with a copy.
    static constexpr std::uint32_t buffers_max = 8;

    arrived_bytes arrived_;
    int end_ = 0;         // how the stream has ended: 0, or a negated errno
    bool ended_ = false;  // and no operation has received this yet
    bool ahead_ = false;  // it was faster than the reader, and has left data in the socket
    state state_ = state::idle;
};

}  // namespace loopbench::loop
