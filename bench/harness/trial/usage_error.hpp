#pragma once

#include "reports/base/formatted_error.hpp"

namespace loopbench::bench {

/// An error that the user can correct. It ends the process with the exit code for wrong usage. what() names
/// the wrong argument or file, the cause and the remedy.
class usage_error : public reports::formatted_error {
public:
    using formatted_error::formatted_error;
};

}  // namespace loopbench::bench
