// HdrHistogram's text format, http://hdrhistogram.org, for its plotter and whoever else reads percentiles.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace loopbench::reports {

/// So many values from `lowest_ns` to `highest_ns`, both included.
struct bucket {
    std::int64_t lowest_ns = 0, highest_ns = 0;
    std::uint64_t count = 0;
};

/// All values that the trials of a cell recorded, together: a picture of the distribution. Verdicts never
/// come from it, since values of one process are no independent samples.
struct histogram {
    std::string workload, contender, metric;  // "latency" or "late"
    std::uint64_t trials = 0;
    double mean_ns = 0;          // exact
    std::int64_t max_ns = 0;     // exact
    std::vector<bucket> values;  // ascending, none empty
};

/// The histograms one after the other, in microseconds; each begins with a comment that says what it is of.
/// (A reader of one histogram in a file takes that for a comment, too.)
std::string write_hgrm(std::span<const histogram> all);

}  // namespace loopbench::reports
