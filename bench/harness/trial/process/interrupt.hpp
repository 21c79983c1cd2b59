// Turns SIGINT, SIGTERM and SIGHUP into a request to end a run early, so that finished results are kept and
// written.
#pragma once

#include <signal.h>

#include <array>
#include <exception>

#include "reports/base/posix_io.hpp"

namespace loopbench::bench {

/// An exception: a signal interrupted a command that has no results to keep.
class interrupted : public std::exception {};

/// A guard that replaces the effect of SIGINT, SIGTERM and SIGHUP. While the guard exists, these signals do
/// not end the process but make fd() readable. The descriptor then stays readable, and further signals have
/// no effect. Signals that were already ignored (under nohup, or in a script's background) stay ignored. Only
/// one guard can exist at a time.
class interrupt {
public:
    /// Replaces the effect of the signals. Throws std::system_error if no eventfd can be created.
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
