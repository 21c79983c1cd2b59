#include "loop/io/uring/stream_feed.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "loop/io/fd.hpp"

namespace loopbench::loop {

bool stream_feed::take(io_operation& op, provided_buffers& buffers) noexcept {
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

void stream_feed::start(io_uring_sqe& sqe, int fd) noexcept {
    io_uring_prep_recv_multishot(&sqe, fd, nullptr, 0, 0);
    sqe.flags |= IOSQE_BUFFER_SELECT;
    sqe.buf_group = provided_buffers::group;
    state_ = state::running;
}

void stream_feed::stopping() noexcept {
    state_ = state::stopping;
    ahead_ = true;
}

bool stream_feed::runs_ahead() const noexcept {
    return state_ == state::running &&
           (arrived_.count > buffers_max || arrived_.bytes >= provided_buffers::buffer_bytes);
}

void stream_feed::on_completion(const io_uring_cqe& cqe, provided_buffers& buffers) noexcept {
    if ((cqe.flags & IORING_CQE_F_BUFFER) != 0) {
        const auto buffer = static_cast<std::uint16_t>(cqe.flags >> IORING_CQE_BUFFER_SHIFT);
        if (cqe.res > 0) {
            buffers.append(arrived_, buffer, static_cast<std::uint32_t>(cqe.res));
        } else {
            buffers.release_unread(buffer);
        }
    }
    if ((cqe.flags & IORING_CQE_F_MORE) != 0) return;
    const bool was_asked_to_end = std::exchange(state_, state::stopped) == state::stopping;
    if (cqe.res > 0 || (cqe.res == -ECANCELED && was_asked_to_end)) return;
    if (cqe.res == -ENOBUFS) {
        ahead_ = !buffers.grow();
        return;
    }
    ended_ = true;
    end_ = cqe.res;
}

void stream_feed::on_short_receive(std::int64_t bytes) noexcept {
    ahead_ = bytes >= static_cast<std::int64_t>(provided_buffers::buffer_bytes);
}

void stream_feed::reset(provided_buffers& buffers) noexcept {
    buffers.discard(arrived_);
    ++generation_;
    state_ = state::stopped;
    ended_ = ahead_ = false;
}

namespace {

constexpr std::size_t page_bytes = 4096;

std::size_t ring_bytes(unsigned count) noexcept {
    return (count * sizeof(io_uring_buf) + page_bytes - 1) / page_bytes * page_bytes;
}

}  // namespace

provided_buffers::provided_buffers(io_uring& ring, unsigned count_max)
    : owner_(ring),
      count_max_(count_max),
      mapped_bytes_(ring_bytes(count_max) + count_max * buffer_bytes),
      contents_(count_max) {
    void* const memory =
        ::mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw_errno("mmap of receive buffers");
    ring_ = static_cast<io_uring_buf_ring*>(memory);
    data_ = static_cast<std::byte*>(memory) + ring_bytes(count_max);
    io_uring_buf_reg registration{};
    registration.ring_addr = reinterpret_cast<std::uintptr_t>(ring_);
    registration.ring_entries = count_max;
    registration.bgid = group;
    const int error = -io_uring_register_buf_ring(&ring, &registration, 0);
    if (error != 0) {
        ::munmap(memory, mapped_bytes_);
        throw_errno(
            "io_uring refused: receive buffers cannot be registered; Linux 6.1 or later is needed, and "
            "ulimit -l must allow for them",
            error);
    }
    io_uring_buf_ring_init(ring_);
    grow();
}

provided_buffers::~provided_buffers() {
    io_uring_unregister_buf_ring(&owner_, group);
    ::munmap(ring_, mapped_bytes_);
}

bool provided_buffers::grow() noexcept {
    const unsigned more = std::min(count_max_ - count_, count_ == 0 ? count_at_first : count_);
    for (const unsigned end = count_ + more; count_ < end; ++count_)
        release(static_cast<std::uint16_t>(count_));
    if (more == 0) scarce_ = available_ < std::max(1U, count_ / 4);
    return more != 0;
}

void provided_buffers::release(std::uint16_t buffer) noexcept {
    const auto mask = static_cast<int>(count_max_ - 1);
    io_uring_buf_ring_add(ring_, data_of(buffer), buffer_bytes, buffer, mask, 0);
    io_uring_buf_ring_advance(ring_, 1);
    ++available_;
    if (scarce_ && available_ >= std::max(1U, count_ / 4)) scarce_ = false;
}

void provided_buffers::release_unread(std::uint16_t buffer) noexcept {
    --available_;
    release(buffer);
}

void provided_buffers::append(arrived_bytes& arrived, std::uint16_t buffer, std::uint32_t bytes) noexcept {
    --available_;
    contents_[buffer].bytes = bytes;
    if (arrived.empty()) {
        arrived.first = buffer;
        arrived.consumed_bytes = 0;
    } else {
        contents_[arrived.last].next = buffer;
    }
    arrived.last = buffer;
    arrived.bytes += bytes;
    ++arrived.count;
}

std::size_t provided_buffers::take(arrived_bytes& arrived, std::span<std::byte> to) noexcept {
    std::size_t taken = 0;
    while (!arrived.empty() && taken < to.size()) {
        const std::size_t left = contents_[arrived.first].bytes - arrived.consumed_bytes;
        const std::size_t count = std::min(left, to.size() - taken);
        std::memcpy(to.data() + taken, data_of(arrived.first) + arrived.consumed_bytes, count);
        taken += count;
        arrived.consumed_bytes += static_cast<std::uint32_t>(count);
        arrived.bytes -= static_cast<std::uint32_t>(count);
        if (count == left) release_first(arrived);
    }
    return taken;
}

void provided_buffers::discard(arrived_bytes& arrived) noexcept {
    while (!arrived.empty()) release_first(arrived);
    arrived.bytes = 0;
}

void provided_buffers::release_first(arrived_bytes& arrived) noexcept {
    release(arrived.first);
    arrived.first = contents_[arrived.first].next;
    arrived.consumed_bytes = 0;
    --arrived.count;
}

}  // namespace loopbench::loop
