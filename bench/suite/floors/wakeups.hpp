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
    /// Waits until wake() is called. The wait can also end without such a call. Only the thread that made
    /// this object can call this function. Throws std::system_error.
    virtual void wait() = 0;
};

using make_waker = std::unique_ptr<waker>();

/// Returns a waker on a futex, which is the kernel's cheapest way to wait.
make_waker make_futex_waker;

make_waker make_epoll_waker;

/// Returns a waker on an io_uring. Throws std::system_error if the kernel refuses io_uring.
make_waker make_uring_waker;

/// Does the work of post/cross_thread (bench/suite/workloads/cross_thread.hpp). `cores` is the number of
/// cores on which the two threads run, 1 or 2.
void post_cross_thread(waker& kernel, int cores, trial& t);

}  // namespace loopbench::bench::floors
