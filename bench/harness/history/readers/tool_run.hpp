// A run in a file of another benchmark tool. The readers in this folder make tool_runs, and entry.cpp turns
// them into entries of a history.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/statistics/median.hpp"
#include "reports/base/json_node.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// The metric of a number whose unit loopbench does not know. The number keeps its unit.
inline constexpr std::string_view other_metric = "value";

/// The numbers of one metric of a benchmark.
struct tool_metric {
    std::string metric, unit;
    reports::direction better = reports::direction::smaller;
    std::vector<double> samples = {};
    std::optional<estimate> value = {};  // the file's own value; it counts only if there are no samples
};

struct tool_benchmark {
    std::string name;
    std::vector<tool_metric> metrics = {};
    std::optional<std::string> error = {};  // the reason if the benchmark has no numbers
    /// The metrics that trends judge by default. If empty, report_index::headline() chooses them.
    std::vector<std::string> primary_metrics = {};
};

struct tool_run {
    reports::contender contender = {};
    std::string commit = {};  // empty if the file does not name it
    std::optional<bool> dirty = {};
    std::string date = {};            // as the file prints it; empty if it has none
    reports::environment where = {};  // without the date
    std::vector<tool_benchmark> benchmarks = {};
    std::vector<reports::warning> warnings = {};
    /// A text that distinguishes the run from other runs with the same date and the same numbers.
    std::string identity = {};
};

/// Returns a metric of reports/model/metrics.cpp, without numbers.
tool_metric metric_named(std::string_view name);

/// Returns the metric `time`. The samples are in units of `unit_ns` nanoseconds.
tool_metric time_of_samples(std::vector<double> samples, double unit_ns);

/// Returns the metric with this value, in the metric's unit. Leaves out a bound that is not finite.
tool_metric with_value(tool_metric metric, estimate value);

/// Replaces the numbers of a benchmark by an error if it has no number, or an impossible one: a number that
/// is not finite, a time or a throughput that is not above 0, or another known metric below 0. `remedy` is
/// appended to the error for a number that is too small, unless it is empty.
void refuse_impossible(tool_benchmark& of, std::string_view remedy = {});

/// Numbers the benchmarks with equal names (distinct_names in gbench_names.hpp), so that they are not pooled.
/// Gives benchmarks without a name the name "(unnamed)".
void distinguish_equal_names(std::vector<tool_benchmark>& all);

/// Parses JSON. Reads NaN and infinity, which Python writes, as null. Throws reports::format_error.
reports::document parse_tool_json(std::string_view text, std::size_t first_line = 1);

/// Returns the number, or NaN for null. Throws reports::format_error if the value is something else.
double number_or_nan(const reports::node& of);

/// Returns the numbers of a list, with NaN for each null. Throws reports::format_error.
std::vector<double> numbers_in_list(const reports::node& list);

/// Returns the text under `key`, or an empty text if it is missing or null. Throws reports::format_error.
std::string text_or_empty(const reports::node& in, std::string_view key);

/// Returns the run as a report, whose date is empty.
reports::report report_of_tool(const tool_run& run);

}  // namespace loopbench::bench
