// What findings mean for whoever called.
#pragma once

#include <array>
#include <span>

#include "bench/cli/commands.hpp"
#include "bench/gate/finding.hpp"

namespace loopbench::bench {

constexpr exit_code exit_code_of(gate_outcome outcome) {
    constexpr std::array codes{exit_ok, exit_tool_failed, exit_regression, exit_unfit, exit_inconclusive};
    return codes[static_cast<std::size_t>(outcome)];
}

/// The exit code for what a gate found; what does not hold goes to standard error. Not for a run that was
/// interrupted, which shows nothing.
int conclude(std::span<const gate_finding> findings);

}  // namespace loopbench::bench
