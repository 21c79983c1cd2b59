// Exit codes of the command. `loopbench --help`, the man page and docs/gate.md repeat these texts.
#pragma once

#include <array>
#include <string_view>

namespace loopbench::bench {

/// Exit codes; scripts rely on them.
enum exit_code : int {
    exit_ok = 0,
    exit_tool_failed = 1,
    exit_usage = 2,
    exit_regression = 3,
    exit_inconclusive = 4,
    exit_unreliable = 5,
    exit_interrupted = 130
};

struct exit_meaning {
    exit_code code;
    std::string_view text;
};

inline constexpr std::array exit_meanings{
    exit_meaning{exit_ok, "done; of a gate (compare, check, history changes): not slower"},
    exit_meaning{exit_tool_failed, "the tool or a contender failed"},
    exit_meaning{exit_usage, "wrong usage, or a file that is not what it has to be"},
    exit_meaning{exit_regression, "of a gate: slower, or a count above its baseline"},
    exit_meaning{exit_inconclusive, "too little is known to tell, or not every cell was reached"},
    exit_meaning{exit_unreliable, "unreliable to measure: the machine, or the baseline differs from itself"},
    exit_meaning{exit_interrupted, "interrupted; what was measured is kept, run --resume goes on"},
};

/// Order of the codes if several apply. Wrong usage ends the command before anything is measured, so 2 never
/// competes with another code. outcome_of() (bench/gate/gate_result.hpp) has the order of 1, 3, 5 and 4.
inline constexpr std::string_view which_exit_code =
    "Where several hold, the first of 130, 1, 3, 5 and 4 is given: that a contender failed is a fact on\n"
    "any machine, and so is a count; no time of an unreliable session is a regression.";

}  // namespace loopbench::bench
