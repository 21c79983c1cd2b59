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
#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstdint>

#include "loop/drivers/readiness.hpp"
#include "loop/unique_fd.hpp"

namespace loopbench::loop {

class epoll_poller {
public:
    static constexpr bool edge_triggered = true;

    /// Throws std::system_error when a descriptor cannot be made (EMFILE).
    epoll_poller();

    void watch(int fd, std::uint32_t generation, bool in, bool out);
    void unwatch(int fd) noexcept;
    void closing(int) noexcept {}  // takes it out of the set

    template <class Report>
    void wait(time_point deadline, Report&& report) {
        const int count = wait_for_events(deadline);
        for (int i = 0; i < count; ++i) {
            readiness_event event;
            if (decode(i, event)) report(event);
        }
    }

    void wake() noexcept;

private:
    static constexpr int events_max = 256;  // a turn takes at most these; the rest is reported on the next

    int wait_for_events(time_point deadline);
    bool decode(int index, readiness_event& event) noexcept;
    void arm_timer(time_point deadline);

    unique_fd epoll_;
    unique_fd wake_;
    unique_fd timer_;
    time_point armed_ = never;  // what the timerfd is set to
    std::array<epoll_event, events_max> events_;
};

using epoll_driver = readiness_driver<epoll_poller>;

}  // namespace loopbench::loop
