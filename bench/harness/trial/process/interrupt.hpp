// SIGINT, SIGTERM and SIGHUP end a run early and in order: finished results are kept and written.
#pragma once

#include <signal.h>

#include <array>
#include <exception>

#include "reports/base/posix_io.hpp"

namespace loopbench::bench {

/// An interruption for which nothing is worth keeping.
class interrupted : public std::exception {};

/// While an object of this class lives, SIGINT, SIGTERM and SIGHUP do not end the process but make fd()
/// readable; it stays readable, and further signals change nothing. Signals that were ignored before (nohup,
/// a script's background) stay ignored. Only one object may exist at a time.
class interrupt {
public:
    /// Throws std::system_error.
    interrupt();
    interrupt(const interrupt&) = delete;
    interrupt& operator=(const interrupt&) = delete;
    ~interrupt();

    [[nodiscard]] bool requested() const;
    void throw_if_requested() const {
        if (requested()) throw interrupted{};
    }
    [[nodiscard]] int fd() const { return event_.get(); }

private:
    reports::unique_fd event_;
    std::array<struct sigaction, 3> old_{};
};

}  // namespace loopbench::bench
