#include "loop/drivers/uring_buffers.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "loop/system_error.hpp"

namespace loopbench::loop {

namespace {

constexpr std::size_t page_bytes = 4096;

std::size_t ring_bytes(unsigned count) noexcept {
    return (count * sizeof(io_uring_buf) + page_bytes - 1) / page_bytes * page_bytes;
}

}  // namespace

uring_buffers::uring_buffers(io_uring& ring, unsigned count_max)
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

uring_buffers::~uring_buffers() {
    io_uring_unregister_buf_ring(&owner_, group);
    ::munmap(ring_, mapped_bytes_);
}

bool uring_buffers::grow() noexcept {
    const unsigned more = std::min(count_max_ - count_, count_ == 0 ? count_at_first : count_);
    for (const unsigned end = count_ + more; count_ < end; ++count_)
        give_back(static_cast<std::uint16_t>(count_));
    return more != 0;
}

void uring_buffers::give_back(std::uint16_t buffer) noexcept {
    const auto mask = static_cast<int>(count_max_ - 1);
    io_uring_buf_ring_add(ring_, data_of(buffer), buffer_bytes, buffer, mask, 0);
    io_uring_buf_ring_advance(ring_, 1);
}

void uring_buffers::append(uring_arrivals& arrivals, std::uint16_t buffer, std::uint32_t bytes) noexcept {
    contents_[buffer].bytes = bytes;
    if (arrivals.empty()) {
        arrivals.first = buffer;
        arrivals.consumed_bytes = 0;
    } else {
        contents_[arrivals.last].next = buffer;
    }
    arrivals.last = buffer;
    arrivals.bytes += bytes;
    ++arrivals.count;
}

std::size_t uring_buffers::take(uring_arrivals& arrivals, std::span<std::byte> to) noexcept {
    std::size_t taken = 0;
    while (!arrivals.empty() && taken < to.size()) {
        const std::size_t left = contents_[arrivals.first].bytes - arrivals.consumed_bytes;
        const std::size_t count = std::min(left, to.size() - taken);
        std::memcpy(to.data() + taken, data_of(arrivals.first) + arrivals.consumed_bytes, count);
        taken += count;
        arrivals.consumed_bytes += static_cast<std::uint32_t>(count);
        arrivals.bytes -= static_cast<std::uint32_t>(count);
        if (count == left) drop_first(arrivals);
    }
    return taken;
}

void uring_buffers::discard(uring_arrivals& arrivals) noexcept {
    while (!arrivals.empty()) drop_first(arrivals);
    arrivals.bytes = 0;
}

void uring_buffers::drop_first(uring_arrivals& arrivals) noexcept {
    give_back(static_cast<std::uint16_t>(arrivals.first));
    arrivals.first = contents_[arrivals.first].next;
    arrivals.consumed_bytes = 0;
    --arrivals.count;
}

}  // namespace loopbench::loop
