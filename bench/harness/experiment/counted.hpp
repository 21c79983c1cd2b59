// The results of the passes after the trials (bench/harness/counting), as a journal has them.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "bench/harness/statistics/median.hpp"

namespace loopbench::bench {

/// The results of the passes for one workload and contender. Counts are exact; a timed value is a median,
/// with the interval of its samples.
struct counted_result {
    std::string workload, contender;
    std::map<std::string, double> metrics;  // by the names in reports/model/metrics.cpp
    std::vector<std::string> missing;       // why other metrics are missing
    bool failed = false;                    // the contender did not do the work; `missing` has the reason
    std::string tracer = {};                // the program that counted the system calls; empty if none did
    std::map<std::string, std::vector<double>> samples = {};  // of the metrics that are medians
};

/// The bounds of t(2N)/t(N) if time grows with the work. (Some compilers remove the work:
/// google/benchmark#2037.)
inline constexpr double doubling_least = 1.9, doubling_most = 2.1;

/// With six or more, a median has an interval of 95 % (sign_test.hpp).
inline constexpr std::size_t fewest_triples = 6, most_triples = 40;

inline bool is_within_bounds(const estimate& doubling) {
    return doubling.low >= doubling_least && doubling.high <= doubling_most;
}

}  // namespace loopbench::bench
