#pragma once

#include <signal.h>

#include <array>
#include <exception>

#include "reports/base/posix_io.hpp"

namespace loopbench::bench {

class interrupted : public std::exception {};

/// A handler for SIGINT, SIGTERM and SIGHUP. While it exists, these signals do not end the process, but make
/// fd() readable for the rest of the handler's life. Signals that were already ignored (under nohup, or in a
/// script's background) stay ignored. Only one handler can exist at a time.
class interrupt {
public:
    /// Throws std::system_error if no eventfd can be created.
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
