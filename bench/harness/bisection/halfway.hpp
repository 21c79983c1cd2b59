// The comparison of a commit with the first and the last commit of a bisection. All three run in each block,
// so that a change of the machine's speed affects all of them, and a slowdown that has another size on a busy
// machine is compared with its size on the same busy machine.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/harness/experiment/runner.hpp"
#include "reports/model/metrics.hpp"

namespace loopbench::bench {

/// The places of the three programs in the contenders of a plan for one workload.
inline constexpr std::size_t good_place = 0, commit_place = 1, bad_place = 2;

/// Returns one value for each block that has numbers of all three programs. It is above 0 if the commit's
/// program is nearer to the slow one than to the fast one:
///     x = log t_commit - (log t_good + log t_bad) / 2.
/// For a metric whose larger values are better, the sign is the opposite. If one step between the two made
/// the program slower, the median of x lies half of the step above or below 0. Leaves out blocks with a value
/// of 0 or below.
std::vector<double> distances_from_halfway(const run_plan& plan, const run_outcome& outcome,
                                           const reports::metric_info& metric);

/// Returns the reason why distances_from_halfway() is empty, for example "its value of allocations is 0".
std::string why_no_distance(const run_plan& plan, const run_outcome& outcome,
                            const reports::metric_info& metric);

}  // namespace loopbench::bench
