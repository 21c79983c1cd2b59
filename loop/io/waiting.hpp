// What drivers wait with: an eventfd that ends a wait, and deadlines as the kernel counts them.
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

    /// Any thread; also from a signal handler.
    void set() noexcept {
        const std::uint64_t one = 1;
        while (::write(fd_.get(), &one, sizeof one) < 0 && errno == EINTR) continue;
    }

    /// For drivers to which it stays ready until then. To others each set() is an event, of 2^64 at the most.
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

/// The time that is left until `deadline`, for ppoll(2) and pselect(2); null for `never`. Computed anew from
/// the deadline at every call, so that an interrupted wait is not begun again at full length. Nanoseconds,
/// never rounded down: a timeout cut to zero makes the last stretch before a deadline busy polling
/// (open62541#7102).
inline const timespec* relative_timeout(time_point deadline, timespec& storage) noexcept {
    if (deadline == never) return nullptr;
    storage = {};
    if (deadline != do_not_wait) {
        const time_point now = std::chrono::steady_clock::now();
        // Compared, not subtracted: from a deadline near time_point::min() nothing can be.
        if (deadline > now) storage = to_timespec(deadline - now);
    }
    return &storage;
}

}  // namespace loopbench::loop
