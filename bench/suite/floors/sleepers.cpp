#include "bench/suite/floors/sleepers.hpp"

#include <liburing.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <cerrno>
#include <chrono>
#include <ctime>

#include "bench/suite/floors/waits.hpp"
#include "loop/io/fd.hpp"
#include "loop/io/uring/ring.hpp"

namespace loopbench::bench::floors {

namespace {

using loop::checked;
using loop::throw_failed;

constexpr std::int64_t ns_per_s = 1'000'000'000;

std::int64_t monotonic_ns(time_point deadline) noexcept {
    return std::chrono::nanoseconds(deadline.time_since_epoch()).count();
}

timespec to_timespec(time_point deadline) noexcept {
    const std::int64_t ns = monotonic_ns(deadline);
    return {.tv_sec = ns / ns_per_s, .tv_nsec = ns % ns_per_s};
}

class nanosleep_sleeper final : public sleeper {
public:
    void sleep_until(time_point deadline) override {
        const timespec until = to_timespec(deadline);
        int error;
        do {
            error = ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
        } while (error == EINTR);
        if (error != 0) throw_failed("clock_nanosleep", error);
    }
};

// A sleeper on an edge-triggered timerfd. Arming the timer again produces the next edge, so the number of
// expiries need not be read.
class timerfd_sleeper final : public sleeper {
public:
    timerfd_sleeper()
        : timer_(checked(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC), "timerfd_create")),
          epoll_(checked(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")) {
        epoll_event event{.events = EPOLLIN | EPOLLET, .data = {.fd = timer_.get()}};
        checked(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, timer_.get(), &event), "epoll_ctl");
    }

    void sleep_until(time_point deadline) override {
        const itimerspec until{.it_interval = {}, .it_value = to_timespec(deadline)};
        checked(::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &until, nullptr), "timerfd_settime");
        wait_for_event(epoll_.get());
    }

private:
    loop::unique_fd timer_;
    loop::unique_fd epoll_;
};

class uring_sleeper final : public sleeper {
public:
    uring_sleeper() : ring_(small_ring) { ring_.enable(); }

    void sleep_until(time_point deadline) override {
        const std::int64_t ns = monotonic_ns(deadline);
        __kernel_timespec until{.tv_sec = ns / ns_per_s, .tv_nsec = ns % ns_per_s};
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
