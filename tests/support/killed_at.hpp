#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace loopbench::tests {

struct traced_end {
    std::uint64_t calls = 0;  // counted system calls of the first thread
    std::optional<int> exit_code;
};

/// A kill before any other call leaves the files as a kill before the next call that can change them.
enum class counted_calls { all, that_can_change_files };

/// Runs the command under ptrace, and sends SIGKILL before the counted system call number `fatal_call` of the
/// first thread, counted from 1; 0 means never. Call it only from the main thread. Returns nullopt if ptrace
/// is refused.
std::optional<traced_end> run_until_call(std::vector<std::string> command, std::uint64_t fatal_call,
                                         counted_calls counted = counted_calls::all);

}  // namespace loopbench::tests
