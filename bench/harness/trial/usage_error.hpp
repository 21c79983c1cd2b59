// The error that makes a command exit with the code for wrong usage.
#pragma once

#include "reports/base/formatted_error.hpp"

namespace loopbench::bench {

/// An error in the use of a command. what() names the wrong argument or file, the cause and the remedy.
class usage_error : public reports::formatted_error {
public:
    using formatted_error::formatted_error;
};

}  // namespace loopbench::bench
