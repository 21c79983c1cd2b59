// Laws on results as a whole, after the trials: a number that breaks one is no number, and its result fails.
// (The laws on single trials are in bench/harness/trial/laws.hpp.)
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/harness/experiment/counted.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

struct broken_law {
    std::string workload, contender;
    std::string how;  // the law, the numbers, and their limit
};

/// Returns the results whose time is less than their counted system calls can take on this machine, and those
/// whose doubled work significantly does not take twice the time.
std::vector<broken_law> laws_broken_by_counts(const reports::report& report,
                                              std::span<const counted_result> cells);

/// Returns the floors whose time is less than a fifth of another floor's on the same workload.
std::vector<broken_law> laws_broken_among_floors(const reports::report& report);

}  // namespace loopbench::bench
