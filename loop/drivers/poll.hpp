// poll: the whole list of descriptors goes to the kernel at every wait.
//
// What it costs and what surprises: a wait is linear in the number of watched descriptors, ready or not. It
// is level-triggered, so a descriptor stays in the list only while an operation waits on it; otherwise a peer
// that has hung up would be reported at every wait (POLLHUP and POLLERR cannot be masked). ppoll(2) takes
// nanoseconds, and is late by the thread's timer slack, 50 us by default.
#pragma once

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "loop/drivers/readiness.hpp"
#include "loop/drivers/wake_event.hpp"

namespace loopbench::loop {

class poll_poller {
public:
    static constexpr bool edge_triggered = false;

    /// Throws std::system_error when a descriptor cannot be made (EMFILE).
    poll_poller();

    void watch(int fd, std::uint32_t generation, bool in, bool out);
    void unwatch(int fd) { watch(fd, 0, false, false); }
    void closing(int fd) { unwatch(fd); }

    template <class Report>
    void wait(time_point deadline, Report&& report) {
        if (wait_for_events(deadline) == 0) return;
        found_.clear();
        collect();
        for (const readiness_event& event : found_) report(event);  // may change the watched list
    }

    void wake() noexcept { bell_.ring(); }

private:
    int wait_for_events(time_point deadline);
    void collect();

    wake_event bell_;
    std::vector<pollfd> watched_;             // the first is the bell
    std::vector<std::uint32_t> generations_;  // in step with watched_
    std::vector<std::size_t> place_of_;       // by fd: its index in watched_; 0 is none
    std::vector<readiness_event> found_;
};

using poll_driver = readiness_driver<poll_poller>;

}  // namespace loopbench::loop
