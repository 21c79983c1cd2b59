// The driver is edge-triggered. Some facts about the kernel are surprising:
// - A registration also reports readiness that already exists. Therefore no event is lost between a call that
//   returned EAGAIN and the registration.
// - The kernel removes a closed descriptor from the epoll set only when its last duplicate is closed. An
//   event can therefore name a closed descriptor or a reused number; the driver checks the generation in the
//   event.
// - The timeouts of epoll_wait (in milliseconds) and epoll_pwait2 are late by the thread's timer slack (50 us
//   by default, prctl(2) PR_SET_TIMERSLACK). A timerfd uses an absolute deadline in nanoseconds and has no
//   slack (timerfd_create(2)). The driver does not have to read the timerfd, because a new deadline clears
//   it, and because edge triggering reports each expiry only once.

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>

#include "loop/io/drivers.hpp"
#include "loop/io/readiness.hpp"
#include "loop/io/waiting.hpp"

namespace loopbench::loop {

namespace {

class epoll_driver final : public readiness_driver {
public:
    explicit epoll_driver(ready_queue& ready) : readiness_driver(ready, /*edge_triggered=*/true) {
        add_own();
    }

    void begin_anew_in_child() override {
        epoll_ = make_epoll();
        timer_ = make_timer();
        wake_ = wake_event();
        armed_ = never;
        owner_ = ::getpid();
        add_own();
        watch_all_anew();
    }

    void wake() noexcept override { wake_.set(); }

    void wait_for_reports(time_point deadline) override {
        // A deadline of zero would disarm the timerfd. The driver does not wait for such a deadline, because
        // it has passed: zero is the time at which the machine booted.
        const bool blocking = deadline > time_point{};
        if (blocking) arm_timer(deadline);
        const int count = [&]() noexcept {
            const without_lock sleeping(*this);
            return ::epoll_wait(epoll_.get(), events_.data(), events_max, blocking ? -1 : 0);
        }();
        if (count < 0) {
            if (errno == EINTR) return;
            throw_failed("epoll_wait");
        }
        for (const epoll_event& event : std::span(events_).first(static_cast<std::size_t>(count))) {
            const auto key = static_cast<std::uint32_t>(event.data.u64);
            if (key == timer_key) armed_ = never;
            if (key == timer_key || key == wake_key) continue;
            report({.fd = static_cast<int>(key),
                    .generation = static_cast<std::uint32_t>(event.data.u64 >> 32),
                    .in = (event.events & (EPOLLIN | EPOLLERR)) != 0,
                    .out = (event.events & (EPOLLOUT | EPOLLERR)) != 0,
                    .hung_up = (event.events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0,
                    .urgent = (event.events & EPOLLPRI) != 0});
        }
    }

private:
    static constexpr int events_max = 256;
    static constexpr std::uint32_t wake_key = 0xffff'ffff;
    static constexpr std::uint32_t timer_key = 0xffff'fffe;

    static unique_fd make_epoll() {
        return unique_fd(checked(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1"));
    }
    static unique_fd make_timer() {
        return unique_fd(
            checked(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK), "timerfd_create"));
    }

    void add_own() {
        add(wake_.fd(), EPOLLIN | EPOLLET, wake_key);
        add(timer_.get(), EPOLLIN | EPOLLET, timer_key);
    }

    void watch(int fd, bool in, bool out) override {
        if (in || out) {
            const auto key = std::uint64_t{generation_of(fd)} << 32 | static_cast<std::uint32_t>(fd);
            const std::uint32_t by_edges = EPOLLOUT | EPOLLPRI | EPOLLET;
            add(fd, EPOLLIN | EPOLLRDHUP | (out ? by_edges : 0), key);
        } else if (::getpid() == owner_) {  // a forked child must not change its parent's epoll set
            // The errors EBADF and ENOENT are ignored, because they mean that the descriptor is no longer in
            // the set.
            static_cast<void>(::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr));
        }
    }

    void add(int fd, std::uint32_t events, std::uint64_t key) {
        epoll_event event{};
        event.events = events;
        event.data.u64 = key;
        if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0) return;
        // EEXIST means that the descriptor is already registered, for other directions or from an earlier
        // use; then its registration is changed.
        if (errno == EEXIST && ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event) == 0) return;
        throw_errno("epoll_ctl cannot watch descriptor " + std::to_string(fd));
    }

    // Sets the timerfd to the deadline, unless the timerfd will fire before the deadline anyway. Keeping the
    // earlier setting ends the wait early once, but saves a system call for every timer that is armed and
    // cancelled.
    void arm_timer(time_point deadline) {
        if (deadline >= armed_) return;
        const itimerspec setting{.it_interval = {}, .it_value = to_timespec(deadline.time_since_epoch())};
        checked(::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &setting, nullptr), "timerfd_settime");
        armed_ = deadline;
    }

    unique_fd epoll_ = make_epoll();
    wake_event wake_;
    unique_fd timer_ = make_timer();
    time_point armed_ = never;
    pid_t owner_ = ::getpid();
    std::array<epoll_event, events_max> events_;
};

}  // namespace

std::unique_ptr<driver> make_epoll_driver(ready_queue& ready) {
    return std::make_unique<epoll_driver>(ready);
}

}  // namespace loopbench::loop
