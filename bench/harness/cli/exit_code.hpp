// `loopbench --help`, the man page and docs/gate.md repeat the texts in this file.
#pragma once

#include <array>
#include <string_view>

namespace loopbench::bench {

/// The exit codes of all commands. Their values must not change, because scripts depend on them.
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
    exit_meaning{exit_ok, "success; a gate (compare, check, history changes) or bisect found no slowdown"},
    exit_meaning{exit_tool_failed, "the tool or a contender failed"},
    exit_meaning{exit_usage, "wrong usage, or a file with unexpected contents"},
    exit_meaning{exit_regression,
                 "a gate found a slowdown or a count above the baseline file, or bisect found the commit"},
    exit_meaning{exit_inconclusive, "inconclusive: too few data for a verdict, or results are missing"},
    exit_meaning{exit_unreliable,
                 "unreliable: the machine is too noisy, or the baseline differs from its A/A copy"},
    exit_meaning{exit_interrupted,
                 "interrupted; finished trials are kept; `run` and `bisect` can continue with --resume"},
};

/// Tells the user which exit code is returned if several apply. Code 2 is not in the list, because wrong
/// usage ends the command before anything is measured. outcome_of() (gate_result.hpp) implements the order of
/// codes 1, 3, 5 and 4.
inline constexpr std::string_view which_exit_code =
    "If several apply, the exit code is the first of 130, 1, 3, 5 and 4. A failed contender (1) and a\n"
    "count above the baseline file (3) do not depend on how noisy the machine is. Times from an\n"
    "unreliable session (5) never cause exit code 3.";

}  // namespace loopbench::bench
