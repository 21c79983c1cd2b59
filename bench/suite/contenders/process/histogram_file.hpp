// The histogram file, for data that a row of Google Benchmark cannot carry: whole histograms, in the file
// that LOOPBENCH_HISTOGRAM_FILE names.
//
// The file is one JSON document. Values are nanoseconds; a bucket [lowest, highest, count] says how many
// values were from `lowest` to `highest`, both included. Buckets are in ascending order, none is empty, and
// their counts add up to `count`. A lateness below zero is an early fire. `min`, `max` and `mean` are exact.
// A workload that ran more than once (repetitions, calibration) appears with its last run:
//
//   {"schema": "loopbench-histogram-file/1", "version": "0.2.0", "contender": "loop-epoll",
//    "histograms": [{"workload": "echo/rtt/tcp/conns:1/bytes:64", "metric": "latency", "unit": "ns",
//                    "count": 3000, "min": 3391, "max": 91234, "mean": 3710.5,
//                    "buckets": [[3376, 3391, 12], ...]}]}
//
// `version` is that of loopbench; programs that are built without it leave it out.
// `metric` is "latency" or "late", as in the names of the counters (latency_p50, late_max).
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "bench/suite/recording/histogram.hpp"

namespace loopbench::bench {

class histogram_file {
public:
    explicit histogram_file(std::string_view contender) : contender_(contender) {}

    /// Stores histograms, replacing those of an earlier run of the workload.
    void keep(std::string_view workload, const histogram& latency, const signed_histogram& lateness);

    std::string text() const;

    /// Replaces the file. Throws std::system_error that names the file.
    void write(const std::string& path) const;

private:
    struct histograms {
        histogram latency;
        signed_histogram lateness;
    };
    std::string contender_;
    std::map<std::string, histograms, std::less<>> kept_;
};

}  // namespace loopbench::bench
