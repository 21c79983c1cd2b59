#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace loopbench::bench {

/// Returns a free port. The port is usually below the range from which the kernel assigns ports.
std::uint16_t free_port();

class server_process {
public:
    /// Starts the server, and waits until it listens on the port. The server's output goes to the standard
    /// error of this process. Throws std::runtime_error if another program already listens on the port, if
    /// the server ends early, or if it does not listen within ten seconds. Throws std::system_error if the
    /// process cannot start.
    server_process(std::vector<std::string> command, std::uint16_t port);
    server_process& operator=(server_process&&) = delete;
    ~server_process() { kill(); }

    pid_t id() const noexcept { return id_; }
    /// Waits up to `within` for the end of the server. Returns a text that states how the server ended, or an
    /// empty text if it still runs.
    std::string end(std::chrono::milliseconds within = {});

private:
    void kill() noexcept;

    pid_t id_;
    bool is_over_ = false;
};

}  // namespace loopbench::bench
