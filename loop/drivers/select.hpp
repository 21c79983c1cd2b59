// select: the driver of the founding documents, with the limits that made everybody leave it.
//
// What surprises: a descriptor of 1024 or more does not fit into an fd_set, and setting its bit writes past
// the end of the set (AMQP-CPP#378), so it is refused here with an error. A wait costs a pass over every
// number up to the highest. pselect(2) takes nanoseconds, and is late by the thread's timer slack, 50 us by
// default. There is no separate report of a hang-up: the descriptor is readable, and the read says the rest.
#pragma once

#include <sys/select.h>

#include <array>
#include <cstdint>
#include <vector>

#include "loop/drivers/readiness.hpp"
#include "loop/drivers/wake_event.hpp"

namespace loopbench::loop {

class select_poller {
public:
    static constexpr bool edge_triggered = false;

    /// Throws std::system_error when a descriptor cannot be made (EMFILE).
    select_poller();

    /// Throws std::system_error (EINVAL) for a descriptor that select cannot watch.
    static void refuse(int fd);

    /// Not for one that is refused.
    void watch(int fd, std::uint32_t generation, bool in, bool out);
    void unwatch(int fd) { watch(fd, 0, false, false); }
    void closing(int fd) { unwatch(fd); }

    template <class Report>
    void wait(time_point deadline, Report&& report) {
        if (wait_for_events(deadline) == 0) return;
        found_.clear();
        collect();
        for (const readiness_event& event : found_) report(event);  // may change the watched sets
    }

    void wake() noexcept { bell_.ring(); }

private:
    int wait_for_events(time_point deadline);
    void collect();

    wake_event bell_;
    fd_set readers_;
    fd_set writers_;
    fd_set readable_;
    fd_set writable_;
    int highest_;
    std::array<std::uint32_t, FD_SETSIZE> generations_{};
    std::vector<readiness_event> found_;
};

using select_driver = readiness_driver<select_poller>;

}  // namespace loopbench::loop
