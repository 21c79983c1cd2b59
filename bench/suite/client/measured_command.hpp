#pragma once

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace loopbench::bench {

struct command_cost {
    std::chrono::nanoseconds wall{0};
    std::chrono::nanoseconds cpu{0};  // includes all descendants that were waited for
    std::int64_t peak_bytes = 0;      // of the largest process, but at least that of this process (exec(2))
};

/// A command ended with an exit code from 1 to 125. Shells use larger codes for commands that cannot start or
/// are killed.
class exit_code_error : public std::runtime_error {
public:
    using runtime_error::runtime_error;
};

/// Runs the command to its end and returns its cost. PATH is searched. The command reads nothing, and its
/// standard output is discarded. `environment` has entries of the form NAME=VALUE. Throws
/// std::runtime_error if the command cannot start, is killed, or ends with a code other than 0
/// (exit_code_error). The message follows the words "the command" or "the client".
command_cost run_command(const std::vector<std::string>& words, const std::vector<std::string>& environment);

/// Adds the costs of processes that the command left in the background, which must be children of this
/// process (PR_SET_CHILD_SUBREAPER): the wall time then ends when the last of them ends. Call it right after
/// run_command(). Throws std::runtime_error if such a process runs 100 ms longer than the command.
void add_background_processes(command_cost& to);

/// Describes how a process ended. `status` is that of wait(2). The text follows the name of the process.
std::string text_of_end(int status);

/// Returns the environment of this process.
std::vector<std::string> own_environment();

}  // namespace loopbench::bench
