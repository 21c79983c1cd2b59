// The curves of a report: how a metric changes with a parameter in the names of workloads, for example the
// time per operation with the number of connections, or the work per second with the number of threads. The
// curves are derived from the results, so that report.json need not contain them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/model/report_index.hpp"
#include "reports/model/results.hpp"

namespace loopbench::reports {

enum class point_state {
    measured,
    oversubscribed,  // measured with more threads than cores; such a result is no point of the curve
    missing,         // the report has no number for the metric
    unsupported,
    failed,
    not_run
};
constexpr auto names_of(point_state) {
    return std::to_array<std::string_view>(
        {"measured", "oversubscribed", "missing", "unsupported", "failed", "not_run"});
}

/// A result with N threads relative to the same contender's result with one thread: the median of the ratios
/// within blocks. The interval is absent if there are too few blocks, or if the blocks do not contain both
/// results as independent pairs.
struct paired_ratio {
    double median = 0;
    std::optional<double> low, high;
    verdict judged = verdict::inconclusive;  // `faster` is better: more work, or less CPU time
};

struct curve_point {
    point_state state = point_state::missing;
    /// The result for the curve's metric. If the workload was not measured, the result with the reason; if
    /// the report has neither, null.
    const result* item = nullptr;
    const result* cpu = nullptr;  // null if the CPU time per operation is unknown
    /// The work per second and the CPU time per operation, relative to one thread. Only measured points of
    /// curve_set::is_speed have these ratios.
    std::optional<paired_ratio> work, cpu_per_operation;
};

struct curve {
    std::string_view contender;
    std::vector<curve_point> points;  // one for each of curve_set::values
};

struct curve_value {
    std::uint64_t value = 0;
    std::string_view workload;
};

/// The curves of all contenders on workloads whose names differ only in the value of one parameter.
struct curve_set {
    std::string title;      // the common name, for example "echo/rtt/tcp/conns:*/bytes:64"
    std::string name;       // the title without the parameter, for example "echo/rtt/tcp/bytes:64"
    std::string key;        // the parameter, for example "conns"
    std::string metric;     // `time` if it is a primary metric; otherwise the first primary metric
    bool is_speed = false;  // true for the time of several threads, whose inverse is the work per second
    std::vector<curve_value> values;  // in ascending order
    std::vector<curve> curves;
};

/// Returns the sets in which at least two values of the parameter were measured. Sets of threads come first.
std::vector<curve_set> curves_of(const report_index& in);

/// A value with its interval.
struct bounded {
    double median = 0;
    std::optional<double> low, high;
};

/// Returns the operations per second of a result for the time.
bounded per_second(const result& time);

/// Returns the ratio of the work per second to `threads` times the work per second of one thread.
bounded share_of_linear(const paired_ratio& work, std::uint64_t threads);

}  // namespace loopbench::reports
