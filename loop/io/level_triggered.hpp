// What select(2) and poll(2) have in common: an eventfd that wakes them and is emptied then, and timeouts
// that are durations.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <ctime>

#include "loop/io/fd.hpp"
#include "loop/io/io.hpp"
#include "loop/timers/clock.hpp"

namespace loopbench::loop {

class wake_event {
public:
    int fd() const noexcept { return fd_.get(); }

    /// Any thread; also from a signal handler.
    void set() noexcept {
        const std::uint64_t one = 1;
        static_cast<void>(::write(fd_.get(), &one, sizeof one));
    }

    void clear() noexcept {
        std::uint64_t count;
        static_cast<void>(::read(fd_.get(), &count, sizeof count));
    }

private:
    unique_fd fd_{checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")};
};

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
