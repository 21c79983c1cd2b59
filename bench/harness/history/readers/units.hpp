#pragma once

#include <optional>
#include <string_view>

#include "bench/harness/history/readers/tool_run.hpp"

namespace loopbench::bench {

/// A metric without numbers, and the factor from the file's unit to the unit of the metric.
struct metric_in_unit {
    tool_metric metric;
    double factor = 1;
};

/// Returns the number of nanoseconds in a unit of time ("ns", "µs", "msec", "seconds"...), or nothing if the
/// text is not such a unit.
std::optional<double> ns_in(std::string_view unit);

/// Returns the metric `time` for a unit of time, alone or per operation ("ms", "ns/iter", "µs/op"), and
/// `throughput` for operations per unit of time ("ops/sec", "iter/s", "ops/ms"). Returns nothing for other
/// units. Ignores the case of the unit, and everything after its first word.
std::optional<metric_in_unit> metric_of_unit(std::string_view unit);

}  // namespace loopbench::bench
