// What the passes after the trials found (bench/counting), as a journal has it.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "bench/statistics/median.hpp"

namespace loopbench::bench {

/// Counts are what they are; what was timed is a median, and its interval is that of its samples.
struct counted_cell {
    std::string workload, contender;
    std::map<std::string, double> metrics;  // by the names of reports/metrics.cpp
    std::vector<std::string> missing;       // why others are not there
    bool failed = false;                    // the contender did not do the work; `missing` says how
    std::string tracer = {};                // who counted the system calls; empty when nobody did
    std::map<std::string, std::vector<double>> samples = {};  // of those metrics that are medians
};

/// t(2N)/t(N) is from here to there when time grows with the work (field experience of compilers that remove
/// it: google/benchmark#2037).
inline constexpr double doubling_least = 1.9, doubling_most = 2.1;

/// From the sixth on a median has an interval of 95 % (sign_test.hpp).
inline constexpr std::size_t fewest_triples = 6, most_triples = 40;

inline bool is_within_bounds(const estimate& doubling) {
    return doubling.low >= doubling_least && doubling.high <= doubling_most;
}

}  // namespace loopbench::bench
