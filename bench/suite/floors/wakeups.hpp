// The floor of post/cross_thread: one thread sleeps in the kernel; another wakes it, and continues after
// that.
#pragma once

#include <memory>

#include "bench/suite/workloads/trial/trial.hpp"

namespace loopbench::bench::floors {

/// A way for one thread to sleep until another wakes it.
class waker {
public:
    waker() = default;
    waker(const waker&) = delete;
    waker& operator=(const waker&) = delete;
    virtual ~waker() = default;

    /// Ends the current wait(), or else the next one. Callable from any thread.
    virtual void wake() noexcept = 0;
    /// Waits, in the thread that made this object. May end without a wake(). Throws std::system_error.
    virtual void wait() = 0;
};

using make_waker = std::unique_ptr<waker>();

/// Waits on a futex(2), the kernel's cheapest way.
make_waker make_futex_waker;

/// Waits with epoll_wait for an eventfd.
make_waker make_epoll_waker;

/// Waits for an io_uring's read of an eventfd. Throws std::system_error with the cause if io_uring is
/// refused.
make_waker make_uring_waker;

/// Does the work of post/cross_thread (bench/suite/workloads/cross_thread.hpp) on `cores` cores. A post is a
/// number, which must be the next one.
void post_cross_thread(waker& kernel, int cores, trial& t);

}  // namespace loopbench::bench::floors
