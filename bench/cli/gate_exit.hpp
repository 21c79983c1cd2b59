// What findings mean for whoever called.
#pragma once

#include <span>

#include "bench/cli/commands.hpp"
#include "bench/gate/finding.hpp"

namespace loopbench::bench {

constexpr exit_code exit_code_of(gate_outcome outcome) {
    switch (outcome) {
        case gate_outcome::pass:
            return exit_ok;
        case gate_outcome::failed:
            return exit_tool_failed;
        case gate_outcome::regression:
            return exit_regression;
        case gate_outcome::unfit:
            return exit_unfit;
        case gate_outcome::inconclusive:
            return exit_inconclusive;
    }
    return exit_tool_failed;
}

/// The exit code for what a gate found; what does not hold goes to standard error. Not for a run that was
/// interrupted, which shows nothing.
int conclude(std::span<const gate_finding> findings);

}  // namespace loopbench::bench
