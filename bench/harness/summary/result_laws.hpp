// Laws about whole results, checked after the trials. A number that breaks a law is wrong, so its result
// fails. (The laws about single trials are in bench/harness/trial/laws.hpp.)
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/harness/experiment/counted.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

struct broken_law {
    std::string workload, contender;
    std::string how;  // a sentence with the law, the numbers and their limits
};

/// Returns the results that break a law by their counts: those whose time is too short for their counted
/// system calls on this machine, and those whose doubled work takes significantly more or less than about
/// twice the time.
std::vector<broken_law> laws_broken_by_counts(const reports::report& report,
                                              std::span<const counted_result> cells);

/// Returns the floors whose time is less than a fifth of another floor's time on the same workload.
std::vector<broken_law> laws_broken_among_floors(const reports::report& report);

}  // namespace loopbench::bench
