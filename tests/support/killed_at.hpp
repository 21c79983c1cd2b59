// Kills a process at an exact system call, so that a test can try all system calls of a command.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace loopbench::tests {

struct traced_end {
    std::uint64_t calls = 0;       // number of system calls that the first thread began
    std::optional<int> exit_code;  // empty if the process was killed
};

/// Runs `command` under ptrace, with /dev/null as its standard streams. Kills the command with SIGKILL when
/// it enters system call number `fatal_call`, counted from 1. The kernel does not execute that call. If
/// `fatal_call` is 0, the command is not killed. Only the calls of the first thread are counted. Returns
/// nullopt if the kernel or a container refuses ptrace. Call this function only from the main thread.
std::optional<traced_end> run_until_call(std::vector<std::string> command, std::uint64_t fatal_call);

}  // namespace loopbench::tests
