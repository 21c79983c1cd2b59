// Deadlines for system calls that take a duration.
#pragma once

#include <chrono>
#include <ctime>

#include "loop/clock.hpp"
#include "loop/drivers/driver.hpp"

namespace loopbench::loop {

/// The time that is left until `deadline` on CLOCK_MONOTONIC, for ppoll(2) and pselect(2); null for `never`.
/// Computed anew from the deadline at every call, so that an interrupted wait is not begun again at full
/// length. Nanoseconds, never rounded down: a timeout that is cut to zero turns the last stretch before a
/// deadline into busy polling (open62541#7102).
inline const timespec* relative_timeout(time_point deadline, timespec& storage) noexcept {
    if (deadline == never) return nullptr;
    storage = {};
    if (deadline != do_not_wait) {
        const time_point now = std::chrono::steady_clock::now();
        // Compared, not subtracted: from a deadline near time_point::min() nothing can be.
        const nanoseconds left = deadline > now ? deadline - now : nanoseconds::zero();
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
        storage.tv_sec = seconds.count();
        storage.tv_nsec = (left - seconds).count();
    }
    return &storage;
}

}  // namespace loopbench::loop
