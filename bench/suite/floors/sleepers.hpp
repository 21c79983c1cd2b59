// Ways to sleep in the kernel until a point in time. A sleep takes one system call, or two with a timerfd.
#pragma once

#include <memory>

#include "bench/suite/runtime.hpp"

namespace loopbench::bench::floors {

/// A way for a thread to sleep until an absolute deadline on CLOCK_MONOTONIC. A sleep never ends early. If
/// the deadline has passed, the sleep ends immediately.
class sleeper {
public:
    sleeper() = default;
    sleeper(const sleeper&) = delete;
    sleeper& operator=(const sleeper&) = delete;
    virtual ~sleeper() = default;

    /// Sleeps until `deadline`. Throws std::system_error.
    virtual void sleep_until(time_point deadline) = 0;
};

using make_sleeper = std::unique_ptr<sleeper>();

/// Returns a sleeper that uses clock_nanosleep. The kernel can delay its wake-ups by the thread's timer slack
/// (50 us by default; prctl(2), PR_SET_TIMERSLACK).
make_sleeper make_nanosleep_sleeper;

/// Returns a sleeper that uses timerfd_settime, then epoll_wait without a timeout. Timer slack does not
/// apply.
make_sleeper make_timerfd_sleeper;

/// Returns a sleeper that uses one io_uring_enter with an IORING_OP_TIMEOUT. Timer slack does not apply.
/// Throws std::system_error with the reason if the kernel refuses io_uring.
make_sleeper make_uring_sleeper;

}  // namespace loopbench::bench::floors
