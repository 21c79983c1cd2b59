// The text format of HdrHistogram, http://hdrhistogram.org.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace loopbench::reports {

struct bucket {
    std::int64_t lowest_ns = 0, highest_ns = 0;
    std::uint64_t count = 0;
};

/// All values that the trials of a result recorded. Verdicts never use them, because the values of one
/// process are not independent samples.
struct histogram {
    std::string workload, contender, metric;  // `metric` is "latency" or "late"
    std::uint64_t trials = 0;
    double mean_ns = 0;          // the mean of the exact values, not of the buckets
    std::int64_t max_ns = 0;     // the largest exact value
    std::vector<bucket> values;  // in ascending order, without empty buckets
};

/// Writes all histograms into one text, in microseconds. Each histogram begins with a comment line that names
/// the workload, the contender and the metric.
std::string write_hgrm(std::span<const histogram> all);

}  // namespace loopbench::reports
