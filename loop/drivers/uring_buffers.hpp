// Memory for data that arrives before somebody asks for it.
//
// A multishot receive takes a buffer out of a ring that the process has filled (IORING_REGISTER_PBUF_RING).
// The ring is in order, so every buffer in it is touched in turn: with all of them in it, a loop that needs
// ten at a time would walk through two megabytes. So it starts with a few and more are added when they have
// run out, up to the limit; memory that was never added is never touched.
#pragma once

#include <liburing.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace loopbench::loop {

/// What has arrived on one descriptor and was not asked for: buffers, linked through their numbers; or a
/// listener's connections, which have no bytes.
struct uring_arrivals {
    std::uint32_t first = 0;  // meaningful, like the next two, only while there are any
    std::uint32_t last = 0;
    std::uint32_t consumed_bytes = 0;  // of the first
    std::uint32_t bytes = 0;           // in all of them, less what was consumed
    std::uint32_t count = 0;

    bool empty() const noexcept { return count == 0; }
};

class uring_buffers {
public:
    static constexpr int group = 0;
    static constexpr std::size_t buffer_bytes = 2048;

    /// Throws std::system_error. The ring must outlive this object.
    uring_buffers(io_uring& ring, unsigned count_max);
    uring_buffers(const uring_buffers&) = delete;
    uring_buffers& operator=(const uring_buffers&) = delete;
    ~uring_buffers();

    /// Doubles the number of buffers; false when the limit is reached.
    bool grow() noexcept;

    /// The kernel may fill this one again.
    void give_back(std::uint16_t buffer) noexcept;

    /// `bytes` have arrived in this buffer.
    void append(uring_arrivals& arrivals, std::uint16_t buffer, std::uint32_t bytes) noexcept;

    /// Moves as much as fits, and gives buffers back that are empty then.
    std::size_t take(uring_arrivals& arrivals, std::span<std::byte> to) noexcept;

    void discard(uring_arrivals& arrivals) noexcept;

private:
    struct content {
        std::uint32_t bytes;
        std::uint16_t next;
    };

    std::byte* data_of(std::size_t buffer) const noexcept { return data_ + buffer * buffer_bytes; }
    void drop_first(uring_arrivals& arrivals) noexcept;

    static constexpr unsigned count_at_first = 64;

    io_uring& owner_;
    unsigned count_max_;
    unsigned count_ = 0;
    std::size_t mapped_bytes_;
    io_uring_buf_ring* ring_;
    std::byte* data_;
    std::vector<content> contents_;
};

}  // namespace loopbench::loop
