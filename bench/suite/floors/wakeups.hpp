// The floor of post/cross_thread: one thread sleeps in the kernel, and another thread wakes it.
#pragma once

#include <memory>

#include "bench/suite/workloads/trial/trial.hpp"

namespace loopbench::bench::floors {

/// A way for one thread to sleep until another thread wakes it.
class waker {
public:
    waker() = default;
    waker(const waker&) = delete;
    waker& operator=(const waker&) = delete;
    virtual ~waker() = default;

    /// Ends the current wait(), or the next one if no thread waits now. Any thread can call this function.
    virtual void wake() noexcept = 0;
    /// Waits for a call of wake(), but can also return without such a call. Only the thread that made this
    /// object can call this function. Throws std::system_error.
    virtual void wait() = 0;
};

using make_waker = std::unique_ptr<waker>();

/// Returns a waker that waits on a futex(2), the kernel's cheapest way to wait.
make_waker make_futex_waker;

/// Returns a waker that waits for an eventfd with epoll_wait.
make_waker make_epoll_waker;

/// Returns a waker that waits for an eventfd with a read in io_uring. Throws std::system_error with the cause
/// if the kernel refuses io_uring.
make_waker make_uring_waker;

/// Does the work of post/cross_thread (bench/suite/workloads/cross_thread.hpp) on `cores` cores (1 or 2).
/// Each post is a number. The trial fails unless each number is one more than the previous number.
void post_cross_thread(waker& kernel, int cores, trial& t);

}  // namespace loopbench::bench::floors
