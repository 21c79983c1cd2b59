// A result that breaks one of these laws becomes a failed result. The laws for single trials are in
// bench/harness/trial/laws.hpp.
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

/// Returns the results that break the law of system calls or the law of doubling. By the law of system calls,
/// a result's time must be long enough for its counted system calls on this machine. By the law of doubling,
/// twice the work must take about twice the time: the interval of the ratio must not lie outside the bounds
/// of counted.hpp.
std::vector<broken_law> laws_broken_by_counts(const reports::report& report,
                                              std::span<const counted_result> cells);

/// Returns the floors whose time is less than a fifth of another floor's time on the same workload.
std::vector<broken_law> laws_broken_among_floors(const reports::report& report);

}  // namespace loopbench::bench
