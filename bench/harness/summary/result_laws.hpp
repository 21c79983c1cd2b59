// A result whose numbers are impossible becomes a failed result. This file compares a result's numbers with
// its counts, and floors with each other; bench/harness/trial/laws.hpp checks the numbers of single trials.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/harness/experiment/counted.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

struct broken_law {
    std::string workload, contender;
    std::string how;
};

/// Returns the results whose numbers contradict their counts: either the time is too short for the counted
/// system calls on this machine, or twice the work does not take about twice the time (the interval of this
/// ratio lies outside the bounds of counted.hpp).
std::vector<broken_law> laws_broken_by_counts(const reports::report& report,
                                              std::span<const counted_result> cells);

/// Returns the floors whose time is less than a fifth of another floor's time on the same workload. If trials
/// were disturbed, only times with an interval count.
std::vector<broken_law> laws_broken_among_floors(const reports::report& report);

}  // namespace loopbench::bench
