// What a contender cannot do, as opposed to what it does wrong.
#pragma once

#include <stdexcept>
#include <system_error>

namespace loopbench::bench {

/// Thrown by a runtime's function that it does not really have: the workload that called it is then
/// `unsupported`, with what() as the reason.
class lacking : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Whether the kernel does not have what was asked for, or forbids it (seccomp, a sysctl): then a runtime
/// that needs it is not at fault.
bool kernel_refuses(const std::error_code& error) noexcept;

}  // namespace loopbench::bench
