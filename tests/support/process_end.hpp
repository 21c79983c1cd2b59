#pragma once

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "reports/base/posix_io.hpp"

namespace loopbench::tests {

inline bool ends(int pid) {
    const reports::unique_fd process{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))};
    if (!process) return errno == ESRCH;
    pollfd watched{process.get(), POLLIN, 0};
    constexpr int patience_ms = 10'000;
    return reports::uninterrupted([&] { return ::poll(&watched, 1, patience_ms); }) == 1;
}

}  // namespace loopbench::tests
