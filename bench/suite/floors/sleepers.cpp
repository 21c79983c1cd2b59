#include "bench/suite/floors/sleepers.hpp"

#include <liburing.h>
#include <sys/epoll.h>

#include <cerrno>
#include <ctime>

#include "bench/suite/floors/waits.hpp"
#include "loop/io/fd.hpp"
#include "loop/io/uring/ring.hpp"

namespace loopbench::bench::floors {

namespace {

using loop::checked;
using loop::throw_failed;

class nanosleep_sleeper final : public sleeper {
public:
    void sleep_until(time_point deadline) override {
        const timespec until = to_timespec(deadline.time_since_epoch());
        int error;
        do {
            error = ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
        } while (error == EINTR);
        if (error != 0) throw_failed("clock_nanosleep", error);
    }
};

// A sleeper on an edge-triggered timer descriptor.
class timerfd_sleeper final : public sleeper {
public:
    timerfd_sleeper() : epoll_(checked(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")) {
        epoll_event event{.events = EPOLLIN | EPOLLET, .data = {.fd = timer_.get()}};
        checked(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, timer_.get(), &event), "epoll_ctl");
    }

    void sleep_until(time_point deadline) override {
        timer_.arm(deadline);
        wait_for_event(epoll_.get());
    }

private:
    timer_descriptor timer_;
    loop::unique_fd epoll_;
};

class uring_sleeper final : public sleeper {
public:
    uring_sleeper() : ring_(small_ring) { ring_.enable(); }

    void sleep_until(time_point deadline) override {
        const timespec when = to_timespec(deadline.time_since_epoch());
        __kernel_timespec until{.tv_sec = when.tv_sec, .tv_nsec = when.tv_nsec};
        io_uring_prep_timeout(io_uring_get_sqe(&ring_.native()), &until, 0, IORING_TIMEOUT_ABS);
        const int error = -submit_and_take(ring_.native()).result;
        if (error != ETIME) throw_failed("IORING_OP_TIMEOUT", error);
    }

private:
    loop::uring_ring ring_;
};

}  // namespace

std::unique_ptr<sleeper> make_nanosleep_sleeper() {
    return std::make_unique<nanosleep_sleeper>();
}

std::unique_ptr<sleeper> make_timerfd_sleeper() {
    return std::make_unique<timerfd_sleeper>();
}

std::unique_ptr<sleeper> make_uring_sleeper() {
    return std::make_unique<uring_sleeper>();
}

}  // namespace loopbench::bench::floors
