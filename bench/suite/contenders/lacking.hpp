#pragma once

#include <stdexcept>
#include <system_error>

namespace loopbench::bench {

/// An exception for a function that a runtime does not support. A workload that throws it is `unsupported`,
/// with what() as the reason.
class lacking : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Returns true if the error means that the kernel lacks a feature or forbids it (seccomp, a sysctl). Such an
/// error is not the runtime's fault.
bool kernel_refuses(const std::error_code& error) noexcept;

}  // namespace loopbench::bench
