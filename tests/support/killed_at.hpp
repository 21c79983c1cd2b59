// A process that is killed at an exact point of its work, so that a test can try each of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace loopbench::tests {

struct traced_end {
    std::uint64_t calls = 0;       // system calls that it began
    std::optional<int> exit_code;  // nothing when it was killed
};

/// Runs `command` under ptrace and kills it (SIGKILL) as it enters its `fatal_call`-th system call, from 1,
/// which is then not made; with 0 it is let live. Only calls of its first thread count. Its standard streams
/// are /dev/null. Nothing where the kernel or a container refuses ptrace. Only to be called from the main
/// thread.
std::optional<traced_end> run_until_call(std::vector<std::string> command, std::uint64_t fatal_call);

}  // namespace loopbench::tests
