// The floor of post/cross_thread: one thread sleeps in the kernel, another wakes it, and is told when it did.
#pragma once

#include <memory>

#include "bench/workloads/trial/trial.hpp"

namespace loopbench::bench::floors {

/// How one thread sleeps until another wakes it.
class waker {
public:
    waker() = default;
    waker(const waker&) = delete;
    waker& operator=(const waker&) = delete;
    virtual ~waker() = default;

    /// Ends the wait() that runs, or else the next one. From any thread.
    virtual void wake() noexcept = 0;
    /// In the thread that made this. May end without a wake(). Throws std::system_error.
    virtual void wait() = 0;
};

using make_waker = std::unique_ptr<waker>();

/// futex(2): the kernel's least.
make_waker make_futex_waker;

/// An eventfd that epoll_wait waits for.
make_waker make_epoll_waker;

/// An eventfd that an io_uring reads. Throws std::system_error with the cause when io_uring is refused.
make_waker make_uring_waker;

/// The work of post/cross_thread (bench/workloads/cross_thread.hpp) on so many cores: what is posted is a
/// number, which must be the next.
void post_cross_thread(waker& kernel, int cores, trial& t);

}  // namespace loopbench::bench::floors
