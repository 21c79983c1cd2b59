// The kernel's ways to sleep to a point in time, bare: one system call each, or two with a timerfd.
#pragma once

#include <memory>

#include "bench/runtime.hpp"

namespace loopbench::bench::floors {

/// One thread's sleep to an absolute deadline on CLOCK_MONOTONIC: never early, at once when it has passed.
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

/// clock_nanosleep. The kernel may add the thread's timer slack (50 us by default, prctl PR_SET_TIMERSLACK).
make_sleeper make_nanosleep_sleeper;

/// timerfd_settime, then epoll_wait without a timeout. No timer slack.
make_sleeper make_timerfd_sleeper;

/// One io_uring_enter, with an IORING_OP_TIMEOUT in it. No timer slack. Throws std::system_error with the
/// cause when io_uring is refused.
make_sleeper make_uring_sleeper;

}  // namespace loopbench::bench::floors
