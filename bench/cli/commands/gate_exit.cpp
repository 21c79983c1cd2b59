#include "bench/cli/commands/gate_exit.hpp"

#include "bench/cli/messages.hpp"
#include "bench/gate/finding_formats.hpp"

namespace loopbench::bench {

int conclude(std::span<const gate_finding> findings) {
    const auto outcome = outcome_of(findings);
    if (outcome != gate_outcome::pass) tell_raw(write_text(findings));
    return exit_code_of(outcome);
}

}  // namespace loopbench::bench
