// The system calls with which floors wait. Each function that waits repeats its system call if a signal
// interrupts it.
#pragma once

#include <liburing.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <ctime>

#include "bench/suite/runtime.hpp"
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

inline timespec to_timespec(std::chrono::nanoseconds time) noexcept {
    constexpr std::int64_t ns_per_s = 1'000'000'000;
    return {.tv_sec = time.count() / ns_per_s, .tv_nsec = time.count() % ns_per_s};
}

/// A timer of the kernel. Its descriptor becomes readable when the timer expires. Arming the timer again
/// produces the next edge, so the number of expirations of a timer without a period need not be read.
class timer_descriptor {
public:
    /// Throws std::system_error.
    timer_descriptor()
        : fd_(loop::checked(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK),
                            "timerfd_create")) {}

    int get() const noexcept { return fd_.get(); }

    /// Lets the timer expire at `first`, and then after each period if `period` is not 0. A timer with a
    /// period continues only after take_expirations(). Throws std::system_error.
    void arm(time_point first, std::chrono::nanoseconds period = {}) const {
        const itimerspec until{.it_interval = to_timespec(period),
                               .it_value = to_timespec(first.time_since_epoch())};
        loop::checked(::timerfd_settime(fd_.get(), TFD_TIMER_ABSTIME, &until, nullptr), "timerfd_settime");
    }

    /// Returns the number of expirations since the previous call.
    std::uint64_t take_expirations() const noexcept {
        std::uint64_t expirations = 0;
        return ::read(fd_.get(), &expirations, sizeof expirations) == sizeof expirations ? expirations : 0;
    }

private:
    loop::unique_fd fd_;
};

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
