// SIGINT and SIGTERM end a run early, and in order: what is finished is kept and written.
#pragma once

#include <signal.h>

#include "reports/posix_io.hpp"

namespace loopbench::bench {

/// While one lives, SIGINT and SIGTERM do not end the process but make fd() readable, and so it stays;
/// further signals change nothing. One at a time.
class interrupt {
public:
    /// Throws std::system_error.
    interrupt();
    interrupt(const interrupt&) = delete;
    interrupt& operator=(const interrupt&) = delete;
    ~interrupt();

    [[nodiscard]] bool requested() const;
    [[nodiscard]] int fd() const { return event_.get(); }

private:
    reports::unique_fd event_;
    struct sigaction old_int_ {};
    struct sigaction old_term_ {};
};

}  // namespace loopbench::bench
