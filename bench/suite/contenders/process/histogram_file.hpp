// The histogram file contains whole histograms, because a row of Google Benchmark can contain only numbers.
// The environment variable LOOPBENCH_HISTOGRAM_FILE contains the path of the file.
//
// The file is one JSON document. Values are nanoseconds. A bucket [lowest, highest, count] states the number
// of values from `lowest` to `highest`, including these two values. Buckets are in ascending order and not
// empty, and their counts add up to the histogram's `count`. A negative lateness means that a timer fired
// early. `min`, `max` and `mean` are exact. If a workload ran more than once (repetitions, calibration), the
// file contains the histograms of its last run:
//
//   {"schema": "loopbench-histogram-file/1", "version": "1.0.0", "contender": "loop-epoll",
//    "histograms": [{"workload": "echo/rtt/tcp/conns:1/bytes:64", "metric": "latency", "unit": "ns",
//                    "count": 3000, "min": 3391, "max": 91234, "mean": 3710.5,
//                    "buckets": [[3376, 3391, 12], ...]}]}
//
// `version` is the version of loopbench; programs that are built without loopbench leave `version` out.
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

    /// Stores the histograms of one run, and replaces those of an earlier run of the same workload.
    void keep(std::string_view workload, const histogram& latency, const signed_histogram& lateness);

    std::string text() const;

    /// Writes the file, and replaces an existing one. Throws std::system_error with the path.
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
