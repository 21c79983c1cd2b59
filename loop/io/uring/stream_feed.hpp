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
// them in it, a loop that needs ten at a time would walk through two megabytes. So it starts with a few, has
// twice as many when they have run out, up to the limit, and half as many when that was for a burst. When
// the limit is reached, since some readers are slow, all streams receive straight into the callers' buffers
// until a good part of the buffers is back: to arm a feed that ends at once for want of a buffer would make
// two requests of every read.
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

/// What has arrived on one stream: buffers, linked through their numbers.
struct arrived_bytes {
    std::uint16_t first = 0;  // meaningful, like the next one, only while there are any
    std::uint16_t last = 0;
    std::uint32_t count = 0;
    std::uint32_t bytes = 0;  // in all of them, less what was taken

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

    /// Registers them with the ring, of which they know nothing yet, or no more. Throws std::system_error.
    void begin() {
        io_uring_buf_reg registration{};
        registration.ring_addr = reinterpret_cast<std::uintptr_t>(ring_);
        registration.ring_entries = count_max_;
        registration.bgid = group;
        const int error = -io_uring_register_buf_ring(&owner_, &registration, 0);
        if (error != 0) {
            throw_errno(
                "io_uring refused: receive buffers cannot be registered; Linux 6.1 or later is needed, and "
                "ulimit -l must allow for them",
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

    /// How many the kernel can take.
    unsigned available() const noexcept { return available_; }

    /// The kernel has found none: doubles their number, once for all streams that have met with that. False
    /// when the limit is reached.
    bool grow() noexcept {
        if (available_ != 0) return true;
        available_max_ = std::min(2 * available_max_, count_max_);
        fill_ring();
        scarce_ = available_ == 0;
        return !scarce_;
    }

    /// Whether they had run out at the limit, and less than a quarter is back.
    bool are_scarce() const noexcept { return scarce_; }

    /// The kernel has put `bytes` into this one.
    void append(arrived_bytes& arrived, std::uint16_t buffer, std::uint16_t bytes) noexcept {
        least_available_ = std::min(least_available_, --available_);
        contents_[buffer] = {.begin = 0, .end = bytes, .next = 0};
        (arrived.empty() ? arrived.first : contents_[arrived.last].next) = buffer;
        arrived.last = buffer;
        arrived.bytes += bytes;
        ++arrived.count;
    }

    /// The kernel has taken this one, and may fill it again.
    void release_unread(std::uint16_t buffer) noexcept {
        --available_;
        release(buffer);
    }

    /// Moves as much as fits, and releases buffers that are empty then.
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

    // The latest first, which is still in the cache.
    void fill_ring() noexcept {
        const auto mask = static_cast<int>(count_max_ - 1);
        for (; available_ < available_max_ && !spare_.empty(); spare_.pop_back(), ++available_) {
            io_uring_buf_ring_add(ring_, data_of(spare_.back()), buffer_bytes, spare_.back(), mask, 0);
            io_uring_buf_ring_advance(ring_, 1);
        }
    }

    // Halves their number when more than half of them have not been needed for some rounds.
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
    unsigned available_max_ = 0;  // what is released beyond is spare
    unsigned least_available_ = 0;
    unsigned released_ = 0;  // since the number was looked at
    bool scarce_ = false;
    std::vector<std::uint16_t> spare_;  // the next one last
    io_uring_buf_ring* ring_;           // the buffers follow it
    std::vector<content> contents_;
};

/// The feed of one descriptor. Its functions take what all feeds share.
class stream_feed {
public:
    /// Whether it brings what arrives: then a receive waits for it, and so does who asks for readiness, which
    /// is not the socket's while a feed drains it.
    bool is_armed() const noexcept { return state_ == state::running || state_ == state::stopping; }
    /// Whether it may be armed for a receive, or that is to be a request of its own.
    bool may_be_armed(const provided_buffers& buffers) const noexcept {
        return state_ == state::idle && !ahead_ && !buffers.are_scarce();
    }
    /// Whether the kernel still has a request of a descriptor that is closed, which is to end.
    bool is_closed() const noexcept { return state_ == state::closed; }

    /// Completes a receive, or a wait for readability, with what has arrived, or the stream's end; or false.
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

    /// Fills in the request that feeds.
    void arm(io_uring_sqe& sqe, int fd) noexcept {
        io_uring_prep_recv_multishot(&sqe, fd, nullptr, 0, 0);
        sqe.flags |= IOSQE_BUFFER_SELECT;
        sqe.buf_group = provided_buffers::group;
        state_ = state::running;
    }

    /// Whether it is to be stopped, since more has arrived than was asked for.
    bool runs_ahead() const noexcept {
        return state_ == state::running &&
               (arrived_.count > buffers_max || arrived_.bytes >= provided_buffers::buffer_bytes);
    }

    /// A request to cancel it has been made.
    void stop() noexcept {
        state_ = state::stopping;
        ahead_ = true;
    }

    /// The descriptor is about to be closed: what the kernel still brings is not the next one's.
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

    /// A receive that was a request of its own has given so much less than it asked for.
    void on_short_receive(std::int64_t bytes) noexcept {
        ahead_ = bytes >= static_cast<std::int64_t>(provided_buffers::buffer_bytes);
    }

private:
    enum class state : std::uint8_t { idle, running, stopping, closed };

    // What may have arrived on one stream before its feed is stopped; or, at once, one buffer's worth: longer
    // messages are cheaper to receive into the caller's own buffer than into several of ours, and to copy.
    static constexpr std::uint32_t buffers_max = 8;

    arrived_bytes arrived_;
    int end_ = 0;         // how the stream has ended: 0, or a negated errno
    bool ended_ = false;  // and nobody has been told yet
    bool ahead_ = false;  // it was faster than the reader, and has left something in the socket
    state state_ = state::idle;
};

}  // namespace loopbench::loop
