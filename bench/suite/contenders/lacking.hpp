// Distinguishes a missing feature of a contender or of the kernel from an error of the contender.
#pragma once

#include <stdexcept>
#include <system_error>

namespace loopbench::bench {

/// The exception that a runtime throws in a function that it does not support. The workload that called the
/// function is then `unsupported`, with what() as the reason.
class lacking : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Returns true if the error means that the kernel lacks a feature or forbids it (seccomp, a sysctl). A
/// runtime that needs the feature is not to blame for such an error.
bool kernel_refuses(const std::error_code& error) noexcept;

}  // namespace loopbench::bench
