// What a report means for a build: the exit codes of compare and check.
#pragma once

#include <string>
#include <vector>

#include "reports/results.hpp"

namespace loopbench::bench {

enum class gate_outcome { pass, failed, regression, inconclusive, unfit };

struct gate_result {
    gate_outcome outcome = gate_outcome::pass;
    std::vector<std::string> reasons;  // a sentence for each cell that is not fine
};

/// Judges the `time` of every cell that has a ratio to the baseline.
///
/// An unfit session is neither red nor green, whatever it found. Then a cell that failed counts, then one that is
/// slower. Of the rest, each has to rule a slowdown of more than `tolerated_pct` out with its whole interval, and none
/// that the baseline has a time for may be without one: that nothing was found is no pass unless something could have
/// been.
gate_result judge_gate(const reports::report& report, double tolerated_pct);

}  // namespace loopbench::bench
