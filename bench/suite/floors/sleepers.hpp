// The kernel's ways to sleep until a point in time: one system call each, or two with a timerfd.
#pragma once

#include <memory>

#include "bench/suite/runtime.hpp"

namespace loopbench::bench::floors {

/// A thread's sleep to an absolute deadline on CLOCK_MONOTONIC: never early, and no sleep if it has passed.
class sleeper {
public:
    sleeper() = default;
    sleeper(const sleeper&) = delete;
    sleeper& operator=(const sleeper&) = delete;
    virtual ~sleeper() = default;

    /// Throws std::system_error.
    virtual void sleep_until(time_point deadline) = 0;
};

using make_sleeper = std::unique_ptr<sleeper>();

/// Sleeps with clock_nanosleep. The kernel may add the thread's timer slack (50 us by default, prctl
/// PR_SET_TIMERSLACK).
make_sleeper make_nanosleep_sleeper;

/// Sleeps with timerfd_settime, then epoll_wait without a timeout. No timer slack.
make_sleeper make_timerfd_sleeper;

/// Sleeps with one io_uring_enter that contains an IORING_OP_TIMEOUT. No timer slack. Throws
/// std::system_error with the cause if io_uring is refused.
make_sleeper make_uring_sleeper;

}  // namespace loopbench::bench::floors
