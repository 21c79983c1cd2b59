// Defines the results of the passes (bench/harness/counting). A pass runs contenders after the trials, to
// count operations or to check times. A journal contains the results of its run's passes.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "bench/harness/statistics/median.hpp"

namespace loopbench::bench {

/// The results of the passes for one workload and contender. A count is exact. A measured time is the median
/// of `samples`; its interval is computed from the same samples.
struct counted_result {
    std::string workload, contender;
    std::map<std::string, double> metrics;  // by name (reports/model/metrics.cpp)
    std::vector<std::string> missing;       // the reasons why metrics are missing
    bool failed = false;                    // true if the contender failed; `missing` has the reason
    std::string tracer = {};                // the program that counted the system calls; empty if none did
    std::map<std::string, std::vector<double>> samples = {};  // only for measured times
};

/// The bounds of t(2N)/t(N), the time of 2N operations divided by the time of N operations. Outside these
/// bounds, the time is not proportional to the work, for example because the compiler removed the work
/// (google/benchmark#2037).
inline constexpr double doubling_least = 1.9, doubling_most = 2.1;

/// The smallest and the largest number of triples of processes that overhead_of() runs
/// (counting/overhead.hpp). Six is the smallest number of samples for which a 95 % interval of the median
/// exists (median.hpp).
inline constexpr std::size_t fewest_triples = 6, most_triples = 40;

inline bool is_within_bounds(const estimate& doubling) {
    return doubling.low >= doubling_least && doubling.high <= doubling_most;
}

}  // namespace loopbench::bench
