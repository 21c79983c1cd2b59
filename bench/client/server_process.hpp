// A server program of anybody's, as a child process.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace loopbench::bench {

/// A port of 127.0.0.1 on which nobody listens now, and that the kernel gives to nobody who names none (as
/// long as its own range begins above 10,000).
std::uint16_t free_port();

/// Started, and killed in the end.
class server_process {
public:
    /// Returns when it listens on the port. What it prints goes to our standard error. Throws
    /// std::runtime_error when somebody listens there before, when it ends, or when it does not listen within
    /// ten seconds; std::system_error when there can be no process.
    server_process(std::vector<std::string> command, std::uint16_t port);
    server_process& operator=(server_process&&) = delete;
    ~server_process() { kill(); }

    pid_t id() const noexcept { return id_; }
    /// How it has ended ("exit code 1"), or ends within that time; empty while it runs.
    std::string end(std::chrono::milliseconds within = {});

private:
    void kill() noexcept;

    pid_t id_;
    bool is_over_ = false;
};

/// How a process ended, of what waitpid(2) says.
std::string text_of_end(int status);

}  // namespace loopbench::bench
