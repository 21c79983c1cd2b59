// The results of the passes that run after the trials (bench/harness/counting), in the form in which a
// journal contains them.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "bench/harness/statistics/median.hpp"

namespace loopbench::bench {

/// The results of the passes for one workload and contender. Counts are exact. A timed value is the median of
/// its samples, which give its interval.
struct counted_result {
    std::string workload, contender;
    std::map<std::string, double> metrics;  // by the names of reports/model/metrics.cpp
    std::vector<std::string> missing;       // the reasons why metrics are missing
    bool failed = false;                    // the contender failed; `missing` has the reason
    std::string tracer = {};                // the program that counted the system calls; empty if none did
    std::map<std::string, std::vector<double>> samples = {};  // only of metrics that are medians
};

/// The bounds of t(2N)/t(N) for a time that is proportional to the work. The time is not proportional if, for
/// example, the compiler removes the work (google/benchmark#2037).
inline constexpr double doubling_least = 1.9, doubling_most = 2.1;

/// The limits of the number of triples (overhead.hpp). A median of six or more samples has a 95 % interval
/// (sign_test.hpp).
inline constexpr std::size_t fewest_triples = 6, most_triples = 40;

inline bool is_within_bounds(const estimate& doubling) {
    return doubling.low >= doubling_least && doubling.high <= doubling_most;
}

}  // namespace loopbench::bench
