// The error that ends a command with the exit code for wrong usage.
#pragma once

#include <stdexcept>

namespace loopbench::bench {

/// The command was not used as it is meant to be; what() names the thing, the cause and the remedy.
class usage_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace loopbench::bench
