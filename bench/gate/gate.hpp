// What a report means: the exit codes of run and compare, and in which order they outrank each other. That a
// contender failed is a fact whatever the machine does (1). An unfit session is neither red nor green (5).
// Only then it counts that something is slower (3), or that too little is known (4).
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

/// What outranks every comparison: a cell that failed, then a session that is unfit. Otherwise a pass.
gate_result judge_session(const reports::report& report);

/// Judges the session and then the `time` of every cell that has a ratio to the baseline.
///
/// One that is slower comes first. Of the rest, each has to rule a slowdown of more than `tolerated_pct` out
/// with its whole interval, and none that the baseline has a time for may be without one: that nothing was
/// found is no pass unless something could have been. Nor is there a pass while a cell was never reached, as
/// the run was interrupted or its time budget ended; it has not failed either.
gate_result judge_gate(const reports::report& report, double tolerated_pct);

}  // namespace loopbench::bench
