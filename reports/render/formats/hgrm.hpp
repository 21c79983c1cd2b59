// HdrHistogram's text format, http://hdrhistogram.org, for its plotter and other tools that read percentiles.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace loopbench::reports {

/// Number of values from `lowest_ns` to `highest_ns`, both included.
struct bucket {
    std::int64_t lowest_ns = 0, highest_ns = 0;
    std::uint64_t count = 0;
};

/// All values that the trials of a result recorded, merged, to show the distribution. Verdicts never use it,
/// because the values of one process are not independent samples.
struct histogram {
    std::string workload, contender, metric;  // "latency" or "late"
    std::uint64_t trials = 0;
    double mean_ns = 0;          // exact
    std::int64_t max_ns = 0;     // exact
    std::vector<bucket> values;  // ascending, none empty
};

/// Writes the histograms one after the other, in microseconds; each begins with a comment that identifies it.
/// (A tool that expects one histogram per file treats that line as a comment, too.)
std::string write_hgrm(std::span<const histogram> all);

}  // namespace loopbench::reports
