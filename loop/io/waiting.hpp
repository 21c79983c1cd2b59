#pragma once

#include <sys/eventfd.h>

#include <chrono>
#include <ctime>

#include "loop/io/fd.hpp"
#include "loop/io/io.hpp"

namespace loopbench::loop {

class wake_event {
public:
    int fd() const noexcept { return fd_.get(); }

    /// Makes the eventfd readable. Any thread and any signal handler may call set().
    void set() noexcept {
        const std::uint64_t one = 1;
        while (::write(fd_.get(), &one, sizeof one) < 0 && errno == EINTR) continue;
    }

    /// Resets the eventfd. Level-triggered drivers need this, because the kernel reports the eventfd until it
    /// is reset. Edge-triggered drivers do not: each set() is a new event, and the counter is large enough
    /// for 2^64 events.
    void clear() noexcept {
        std::uint64_t count;
        static_cast<void>(::read(fd_.get(), &count, sizeof count));
    }

private:
    unique_fd fd_{checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")};
};

template <class Timespec = timespec>
Timespec to_timespec(nanoseconds time) noexcept {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
    return {.tv_sec = seconds.count(), .tv_nsec = (time - seconds).count()};
}

/// Returns the time left until `deadline`, or null for `never`. The time is computed before each wait, so
/// that an interrupted wait does not restart with its full length. It is exact to the nanosecond: if it were
/// rounded down to zero, the loop would poll busily before a deadline (open62541#7102).
inline const timespec* relative_timeout(time_point deadline, timespec& storage) noexcept {
    if (deadline == never) return nullptr;
    storage = {};
    if (deadline != do_not_wait) {
        const time_point now = std::chrono::steady_clock::now();
        // The times are compared first, because the difference to a deadline near time_point::min() would
        // overflow.
        if (deadline > now) storage = to_timespec(deadline - now);
    }
    return &storage;
}

}  // namespace loopbench::loop
