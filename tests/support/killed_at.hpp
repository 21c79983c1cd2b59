// Kills a process at an exact system call, so that a test can try every one of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace loopbench::tests {

struct traced_end {
    std::uint64_t calls = 0;       // system calls begun by the process
    std::optional<int> exit_code;  // empty if it was killed
};

/// Runs `command` under ptrace and kills it (SIGKILL) when it enters its `fatal_call`-th system call, counted
/// from 1; this call is not made. With 0 the command is not killed. Only calls of the first thread count. The
/// standard streams are /dev/null. Returns nothing if the kernel or a container refuses ptrace. Call this
/// only from the main thread.
std::optional<traced_end> run_until_call(std::vector<std::string> command, std::uint64_t fatal_call);

}  // namespace loopbench::tests
