#pragma once

#include <stdexcept>
#include <system_error>

namespace loopbench::bench {

/// An exception for a function that a runtime does not support. The workload is then `unsupported`, with
/// what() as the reason.
class lacking : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Returns true if the kernel lacks a feature or forbids it (seccomp, a sysctl), so that the runtime is not
/// to blame.
bool kernel_refuses(const std::error_code& error) noexcept;

}  // namespace loopbench::bench
