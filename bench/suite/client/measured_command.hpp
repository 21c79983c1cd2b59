#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace loopbench::bench {

struct command_cost {
    std::chrono::nanoseconds wall{0};
    std::chrono::nanoseconds cpu{0};  // includes all descendants that were waited for
    std::int64_t peak_bytes = 0;      // of the largest process, but at least that of this process (exec(2))
};

/// Runs the command to its end and returns its cost. PATH is searched. The command reads nothing, and its
/// standard output is discarded. `environment` has entries of the form NAME=VALUE. Throws std::runtime_error
/// if the command cannot start, or if it ends with a code other than 0; the message follows the words "the
/// command" or "the client".
command_cost run_command(const std::vector<std::string>& words, const std::vector<std::string>& environment);

/// Returns the environment of this process.
std::vector<std::string> own_environment();

}  // namespace loopbench::bench
