// A server program as a child process.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace loopbench::bench {

/// Returns a port of 127.0.0.1 on which no program listens at the moment. If the range from which the kernel
/// assigns ports begins above 10,000, the returned port is usually below this range.
std::uint16_t free_port();

/// A server process. The destructor kills the process.
class server_process {
public:
    /// Starts the server, and returns when the server listens on the port. The server's output goes to the
    /// standard error of this process. Throws std::runtime_error if another program already listens on the
    /// port, if the server ends early, or if it does not listen within ten seconds. Throws std::system_error
    /// if the process cannot start.
    server_process(std::vector<std::string> command, std::uint16_t port);
    server_process& operator=(server_process&&) = delete;
    ~server_process() { kill(); }

    pid_t id() const noexcept { return id_; }
    /// Waits for at most `within` until the server has ended. Returns a text that states how the server
    /// ended, or an empty text if the server still runs.
    std::string end(std::chrono::milliseconds within = {});

private:
    void kill() noexcept;

    pid_t id_;
    bool is_over_ = false;
};

/// Returns a text that states how a process ended. `status` comes from waitpid(2).
std::string text_of_end(int status);

}  // namespace loopbench::bench
