// The system calls with which floors wait. Each function repeats its system call if a signal interrupts it.
#pragma once

#include <liburing.h>
#include <sys/epoll.h>

#include <cerrno>
#include <cstdint>

#include "loop/io/fd.hpp"
#include "loop/io/uring/ring.hpp"

namespace loopbench::bench::floors {

inline constexpr loop::uring_limits small_ring{.submissions = 8, .completions = 16, .buffers = 0};

/// Waits for one event, and returns it. Throws std::system_error.
inline epoll_event wait_for_event(int epoll) {
    epoll_event event;
    int count;
    do {
        count = ::epoll_wait(epoll, &event, 1, -1);
    } while (count < 0 && errno == EINTR);
    loop::checked(count, "epoll_wait");
    return event;
}

struct uring_completion {
    std::uint64_t tag;
    std::int32_t result;
    std::uint32_t flags;
};

/// Submits the prepared requests, waits for a completion and returns it, with one system call. Throws
/// std::system_error.
inline uring_completion submit_and_take(io_uring& ring) {
    int result;
    do {
        result = io_uring_submit_and_wait(&ring, 1);
    } while (result == -EINTR || (result >= 0 && io_uring_cq_ready(&ring) == 0));
    if (result < 0) loop::throw_failed("io_uring_enter", -result);
    io_uring_cqe* found = nullptr;
    static_cast<void>(io_uring_peek_cqe(&ring, &found));
    const uring_completion taken{.tag = found->user_data, .result = found->res, .flags = found->flags};
    io_uring_cqe_seen(&ring, found);
    return taken;
}

}  // namespace loopbench::bench::floors
