#pragma once

#include <memory>

#include "bench/suite/workloads/trial/trial.hpp"

namespace loopbench::bench::floors {

class waker {
public:
    waker() = default;
    waker(const waker&) = delete;
    waker& operator=(const waker&) = delete;
    virtual ~waker() = default;

    /// Ends the current wait(), or the next one if no thread waits now. Any thread can call this function.
    virtual void wake() noexcept = 0;
    /// Can return without a call of wake(). Only the thread that made this object can call it. Throws
    /// std::system_error.
    virtual void wait() = 0;
};

using make_waker = std::unique_ptr<waker>();

/// A futex is the kernel's cheapest way to wait.
make_waker make_futex_waker;

make_waker make_epoll_waker;

/// Throws std::system_error if the kernel refuses io_uring.
make_waker make_uring_waker;

/// Does the work of post/cross_thread (bench/suite/workloads/cross_thread.hpp) on `cores` cores (1 or 2).
void post_cross_thread(waker& kernel, int cores, trial& t);

}  // namespace loopbench::bench::floors
