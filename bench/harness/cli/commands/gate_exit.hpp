#pragma once

#include <array>
#include <span>

#include "bench/harness/cli/exit_code.hpp"
#include "bench/harness/cli/terminal.hpp"
#include "bench/harness/gate/gate_result_formats.hpp"

namespace loopbench::bench {

/// Returns the exit code of a gate. Must not be used for an interrupted run, because the gate results of such
/// a run are incomplete.
inline exit_code exit_code_of(std::span<const gate_result> results) {
    constexpr std::array codes{exit_ok, exit_tool_failed, exit_regression, exit_unreliable,
                               exit_inconclusive};
    return codes[static_cast<std::size_t>(outcome_of(results))];
}

/// Returns the exit code of a gate with these results. If it is not 0, prints the gate results that are not
/// `holds` to standard error. Does not print the verdict, which is already on standard output.
inline exit_code conclude(std::span<const gate_result> results) {
    const auto code = exit_code_of(results);
    if (code != exit_ok) tell_raw(write_details_of_comparison(results));
    return code;
}

}  // namespace loopbench::bench
