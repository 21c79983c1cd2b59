#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "bench/harness/statistics/median.hpp"

namespace loopbench::bench {

/// The results of the passes for one workload and one contender: counts, which are exact unless the counts
/// of the workload vary (counts_vary()), and ratios of measured times. A count that varies and a ratio are
/// the medians of their `samples`.
struct counted_result {
    std::string workload, contender;
    std::map<std::string, double> metrics;
    std::vector<std::string> missing;
    bool failed = false;
    std::string tracer = {};  // empty if no program counted the system calls
    std::map<std::string, std::vector<double>> samples = {};
};

/// The bounds of t(2N)/t(N), the time of 2N operations divided by that of N operations. Outside these bounds,
/// the time is not proportional to the work, for example because the compiler removed the work
/// (google/benchmark#2037).
inline constexpr double doubling_least = 1.9, doubling_most = 2.1;

/// The minimum and the maximum number of triples of processes that overhead_of() runs. Six is the smallest
/// number of samples for which a 95 % interval of the median exists (median.hpp).
inline constexpr std::size_t fewest_triples = 6, most_triples = 40;

inline bool is_within_bounds(const estimate& doubling) {
    return doubling.low >= doubling_least && doubling.high <= doubling_most;
}

}  // namespace loopbench::bench
