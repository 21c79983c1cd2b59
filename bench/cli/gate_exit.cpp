// Outcomes to exit codes.
#include "bench/cli/gate_exit.hpp"

#include <fmt/format.h>

#include "bench/cli/messages.hpp"

namespace loopbench::bench {

int conclude(const gate_result& found) {
    for (const auto& reason : found.reasons) tell(fmt::format("loopbench: {}\n", reason));
    return exit_code_of(found.outcome);
}

}  // namespace loopbench::bench
