// The feed of a stream is one multishot receive, which stays armed and puts the received data into buffers of
// the driver. A read then needs no system call, and a cancelled read loses no data. But the data is copied,
// and the kernel receives data even if no task reads. Therefore a feed that runs ahead of its reader is
// stopped, so that TCP's flow control stops the sender. After that, each receive goes directly into its
// caller's buffer, until one receive has drained the socket.
//
// All streams share the buffers in one ring (IORING_REGISTER_PBUF_RING), which the kernel uses in order. If
// all buffers were in the ring, a loop that needs ten buffers at a time would walk through two megabytes of
// memory. Therefore the ring starts with a few buffers; their number is doubled when they run out, up to a
// limit, and halved after a burst. If slow readers hold all buffers at the limit, all streams receive
// directly until a quarter of the buffers is free again. Otherwise, a feed would end immediately for lack of
// a buffer, and every read would need two requests.
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

struct arrived_bytes {
    std::uint16_t first = 0;
    std::uint16_t last = 0;
    std::uint32_t count = 0;
    std::uint32_t bytes = 0;

    bool empty() const noexcept { return count == 0; }
};

class provided_buffers {
public:
    static constexpr int group = 0;
    static constexpr std::size_t buffer_bytes = 2048;

    /// Allocates the buffers and registers them with the ring, which must outlive this object. Throws
    /// std::system_error.
    provided_buffers(io_uring& ring, unsigned count_max)
        : owner_(ring),
          count_max_(count_max),
          ring_bytes_((count_max * sizeof(io_uring_buf) + page_bytes - 1) / page_bytes * page_bytes),
          contents_(count_max) {
        void* const memory =
            ::mmap(nullptr, mapped_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw_failed("cannot map memory for the receive buffers (mmap)");
        ring_ = static_cast<io_uring_buf_ring*>(memory);
        try {
            register_with(owner_);
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

    /// Registers the buffers with `ring`, which must not have registered buffers yet. Throws
    /// std::system_error.
    void register_with(io_uring& ring) const {
        io_uring_buf_reg registration{};
        registration.ring_addr = reinterpret_cast<std::uintptr_t>(ring_);
        registration.ring_entries = count_max_;
        registration.bgid = group;
        const int error = -io_uring_register_buf_ring(&ring, &registration, 0);
        if (error == 0) return;
        throw_errno(
            "io_uring refused to register the receive buffers; use Linux 6.1 or later, and raise the limit "
            "on locked memory (ulimit -l)",
            error);
    }

    /// Takes all buffers back, and provides the first ones to the ring with which they were registered last.
    void begin() {
        io_uring_buf_ring_init(ring_);
        ring_->tail = 0;
        spare_.resize(count_max_);
        std::iota(spare_.rbegin(), spare_.rend(), std::uint16_t{0});
        available_ = 0;
        scarce_ = false;
        available_max_ = few();
        fill_ring();
    }

    unsigned available() const noexcept { return available_; }

    /// Doubles the number of buffers after the kernel has found no free buffer, but only once if several
    /// streams run out at the same time. Returns false if the limit is reached.
    bool grow() noexcept {
        if (available_ != 0) return true;
        available_max_ = std::min(2 * available_max_, count_max_);
        fill_ring();
        scarce_ = available_ == 0;
        return !scarce_;
    }

    /// Returns true if the buffers ran out at the limit and fewer than a quarter of them are free again.
    bool are_scarce() const noexcept { return scarce_; }

    void append(arrived_bytes& arrived, std::uint16_t buffer, std::uint16_t bytes) noexcept {
        least_available_ = std::min(least_available_, --available_);
        contents_[buffer] = {.begin = 0, .end = bytes, .next = 0};
        (arrived.empty() ? arrived.first : contents_[arrived.last].next) = buffer;
        arrived.last = buffer;
        arrived.bytes += bytes;
        ++arrived.count;
    }

    void release_unread(std::uint16_t buffer) noexcept {
        --available_;
        release(buffer);
    }

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

    // Adds spare buffers to the ring. The most recently released buffer is added first, because this buffer
    // is still in the cache.
    void fill_ring() noexcept {
        const auto mask = static_cast<int>(count_max_ - 1);
        for (; available_ < available_max_ && !spare_.empty(); spare_.pop_back(), ++available_) {
            io_uring_buf_ring_add(ring_, data_of(spare_.back()), buffer_bytes, spare_.back(), mask, 0);
            io_uring_buf_ring_advance(ring_, 1);
        }
    }

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
    unsigned available_ = 0;
    unsigned available_max_ = 0;
    unsigned least_available_ = 0;
    unsigned released_ = 0;
    bool scarce_ = false;
    std::vector<std::uint16_t> spare_;
    io_uring_buf_ring* ring_;  // in memory, the buffers follow the ring
    std::vector<content> contents_;
};

class stream_feed {
public:
    /// Returns true if the feed delivers the arriving data. In this case, receive operations and waits for
    /// readability must wait for the feed, because the socket does not stay readable while the feed drains
    /// it.
    bool is_armed() const noexcept { return state_ == state::running || state_ == state::stopping; }
    bool may_be_armed(const provided_buffers& buffers) const noexcept {
        return state_ == state::idle && !ahead_ && !buffers.are_scarce();
    }
    bool is_closed() const noexcept { return state_ == state::closed; }

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

    void arm(io_uring_sqe& sqe, int fd) noexcept {
        io_uring_prep_recv_multishot(&sqe, fd, nullptr, 0, 0);
        sqe.flags |= IOSQE_BUFFER_SELECT;
        sqe.buf_group = provided_buffers::group;
        state_ = state::running;
    }

    bool runs_ahead() const noexcept {
        return state_ == state::running &&
               (arrived_.count > buffers_max || arrived_.bytes >= provided_buffers::buffer_bytes);
    }

    void stop() noexcept {
        state_ = state::stopping;
        ahead_ = true;
    }

    /// Discards the arrived data, and later the data that the kernel still delivers. Called before the
    /// descriptor is closed, because this data does not belong to the next descriptor with the same number.
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

    void on_short_receive(std::int64_t bytes) noexcept {
        ahead_ = bytes >= static_cast<std::int64_t>(provided_buffers::buffer_bytes);
    }

private:
    enum class state : std::uint8_t { idle, running, stopping, closed };

    // The largest number of unread buffers before a feed is stopped. A feed whose unread data reaches the
    // size of one buffer is also stopped, because receiving a long message directly into the caller's buffer
    // is cheaper than copying it from several shared buffers.
    static constexpr std::uint32_t buffers_max = 8;

    arrived_bytes arrived_;
    int end_ = 0;  // the end of the stream: 0, or a negated errno
    bool ended_ = false;
    bool ahead_ = false;
    state state_ = state::idle;
};

}  // namespace loopbench::loop
