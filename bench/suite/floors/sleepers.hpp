#pragma once

#include <memory>

#include "bench/suite/runtime.hpp"

namespace loopbench::bench::floors {

/// A way to sleep in the kernel until an absolute deadline on CLOCK_MONOTONIC. A sleep never ends early.
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

/// Returns a sleeper that uses clock_nanosleep. A wake-up can be late by the thread's timer slack (50 us by
/// default; prctl(2), PR_SET_TIMERSLACK).
make_sleeper make_nanosleep_sleeper;

/// Returns a sleeper that uses a timerfd, so that timer slack does not apply. A sleep takes two system calls.
make_sleeper make_timerfd_sleeper;

/// Returns a sleeper that uses IORING_OP_TIMEOUT, so that timer slack does not apply. Throws
/// std::system_error if the kernel refuses io_uring.
make_sleeper make_uring_sleeper;

}  // namespace loopbench::bench::floors
