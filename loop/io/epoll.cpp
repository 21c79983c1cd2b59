// epoll, edge-triggered: each descriptor is registered once and never touched again.
//
// What the kernel does that surprises:
// - Registering reports what is ready already, so there is no race between a call that said EAGAIN and the
//   registration after it.
// - A closed descriptor leaves the set only when its last duplicate is closed. An event may therefore name a
//   descriptor that is gone, or worse, one whose number was given out again; the generation in the event
//   tells.
// - Timeouts of epoll_wait count in milliseconds and, like epoll_pwait2's, are late by the thread's timer
//   slack (50 us by default, prctl(2) PR_SET_TIMERSLACK). A timerfd takes an absolute deadline in nanoseconds
//   and has no slack (timerfd_create(2)), so deadlines go through one. It is not read: a new setting clears
//   it, and edge-triggered it does not report the same expiry twice.

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

#include <array>
#include <cstdint>
#include <span>

#include "loop/io/drivers.hpp"
#include "loop/io/fd.hpp"
#include "loop/io/readiness.hpp"

namespace loopbench::loop {

namespace {

// No descriptor has these numbers.
constexpr std::uint32_t wake_key = 0xffff'ffff;
constexpr std::uint32_t timer_key = 0xffff'fffe;

void add(int epoll, int fd, std::uint32_t events, std::uint32_t key, std::uint32_t generation) {
    epoll_event event{};
    event.events = events;
    event.data.u64 = std::uint64_t{generation} << 32 | key;
    if (::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0) return;
    // Still registered from an earlier life: close() was called, but the descriptor was not closed.
    if (errno == EEXIST && ::epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &event) == 0) return;
    throw_errno("epoll_ctl: descriptor " + std::to_string(fd) + " cannot be watched");
}

class epoll_driver final : public readiness_driver {
public:
    explicit epoll_driver(ready_queue& ready);

    void wake() noexcept override;

private:
    static constexpr int events_max = 256;  // a turn takes at most these; the rest is reported on the next

    void watch(int fd, std::uint32_t generation, bool in, bool out) override;
    void stop_watching(int fd) noexcept override;
    std::span<const readiness_event> wait_for_events(time_point deadline) override;
    void arm_timer(time_point deadline);

    unique_fd epoll_;
    unique_fd wake_;
    unique_fd timer_;
    time_point armed_ = never;  // what the timerfd is set to
    std::array<epoll_event, events_max> reported_;
    std::array<readiness_event, events_max> events_;
};

epoll_driver::epoll_driver(ready_queue& ready)
    : readiness_driver(ready, /*edge_triggered=*/true),
      epoll_(checked(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      wake_(checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")),
      timer_(checked(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK), "timerfd_create")) {
    add(epoll_.get(), wake_.get(), EPOLLIN | EPOLLET, wake_key, 0);
    add(epoll_.get(), timer_.get(), EPOLLIN | EPOLLET, timer_key, 0);
}

void epoll_driver::watch(int fd, std::uint32_t generation, bool in, bool out) {
    std::uint32_t events = EPOLLRDHUP | EPOLLPRI | EPOLLET;
    if (in) events |= EPOLLIN;
    if (out) events |= EPOLLOUT;
    add(epoll_.get(), fd, events, static_cast<std::uint32_t>(fd), generation);
}

void epoll_driver::stop_watching(int fd) noexcept {
    // Fails when the descriptor is closed (EBADF) or another file by now (ENOENT): then it is out of the set.
    static_cast<void>(::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr));
}

void epoll_driver::wake() noexcept {
    // Edge-triggered: every write is a new event, so the counter is never read. It could only be full after
    // 2^64 writes, and then the loop would be awake.
    const std::uint64_t one = 1;
    static_cast<void>(::write(wake_.get(), &one, sizeof one));
}

// Sets the timerfd, unless it is going to fire before the deadline anyway: then the wait ends early, once,
// and the next one sets it. This saves a system call for every timer that is armed and cancelled again.
void epoll_driver::arm_timer(time_point deadline) {
    if (deadline >= armed_) return;
    const auto since_boot = deadline.time_since_epoch();
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since_boot);
    itimerspec setting{};
    setting.it_value.tv_sec = seconds.count();
    setting.it_value.tv_nsec = (since_boot - seconds).count();
    checked(::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &setting, nullptr), "timerfd_settime");
    armed_ = deadline;
}

std::span<const readiness_event> epoll_driver::wait_for_events(time_point deadline) {
    // The timerfd takes a deadline of zero for "disarm"; whatever is not after the boot has passed anyway.
    const bool blocking = deadline > time_point{};
    if (blocking) arm_timer(deadline);
    const int count = ::epoll_wait(epoll_.get(), reported_.data(), events_max, blocking ? -1 : 0);
    if (count < 0) {
        if (errno == EINTR) return {};
        throw_errno("epoll_wait");
    }
    std::size_t found = 0;
    for (const epoll_event& raw : std::span(reported_).first(static_cast<std::size_t>(count))) {
        const auto key = static_cast<std::uint32_t>(raw.data.u64);
        if (key == timer_key) armed_ = never;
        if (key == timer_key || key == wake_key) continue;
        events_[found++] = {.fd = static_cast<int>(key),
                            .generation = static_cast<std::uint32_t>(raw.data.u64 >> 32),
                            .in = (raw.events & (EPOLLIN | EPOLLERR)) != 0,
                            .out = (raw.events & (EPOLLOUT | EPOLLERR)) != 0,
                            .hung_up = (raw.events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0,
                            .urgent = (raw.events & EPOLLPRI) != 0};
    }
    return std::span(events_).first(found);
}

}  // namespace

std::unique_ptr<driver> make_epoll_driver(ready_queue& ready) {
    return std::make_unique<epoll_driver>(ready);
}

}  // namespace loopbench::loop
