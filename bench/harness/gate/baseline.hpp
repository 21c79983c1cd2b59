// A baseline: the expected cost of a build's operations, in a file that is small enough to read, commit and
// review as a diff. reports/model/baseline.schema.json defines the format for other programs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/experiment/counted.hpp"
#include "bench/harness/trial/contender_list.hpp"
#include "reports/model/metrics.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// The allowed distance of a count from the expected count: the sum of a fixed part and a share of the
/// expected count.
struct count_slack {
    double per_op = 0.02;  // the fixed part for counts
    double bytes = 2;      // the fixed part for bytes per operation: one small allocation in fifty operations
    double pct = 2;        // the share of the expected count

    /// Returns the slack in the metric's unit.
    [[nodiscard]] double around(const reports::metric_info& metric, double expected) const;
};

struct expected_count {
    std::string workload, contender, metric;
    double per_op = 0;
};

/// The expected ratio of one contender to another, from pairs of one session; above 1 means better.
struct expected_ratio {
    std::string workload, contender;
    double median = 1, low = 1, high = 1;
    reports::pairing made = reports::pairing::sequential;  // how both contenders were paired
    std::string metric = "time";
};

/// Expected ratios. They are valid only for the machine and the workload size with which they were measured.
struct expected_times {
    std::string to;  // the contender that the ratios are relative to
    workload_size size = workload_size::full;
    std::string machine;  // as machine_of() returns it
    std::vector<expected_ratio> ratios;
};

struct expectations {
    count_slack slack = {};
    std::vector<expected_count> counts = {};
    std::optional<expected_times> times = {};
};

enum class tier { counts, times };

struct cell_name {
    std::string workload, contender;
    bool operator==(const cell_name&) const = default;
};

/// Returns true if both lines are about the same metric of the same workload and contender.
template <class one, class other>
bool same_line(const one& left, const other& right) {
    return reports::same_cell(left, right) && left.metric == right.metric;
}

/// Returns each pair of workload and contender for which the baseline has lines, without repetition.
std::vector<cell_name> cells_of(const expectations& all, std::optional<tier> only = {});

/// Returns the workload names or the contender names in `cells`, each name once.
std::vector<std::string> names_in(const std::vector<cell_name>& cells, std::string cell_name::*which);

/// Adds a name if it is missing.
void add_once(std::vector<std::string>& names, const std::string& name);

/// Returns the properties of the machine that affect ratios: processor, cores and kernel.
std::string machine_of(const reports::environment& where);

/// Returns the size of the measured workloads, or nothing if another program made the report.
std::optional<workload_size> size_of(const reports::report& report);

/// Reads the baseline in the file. Throws usage_error with the file, the cause and the remedy if the file is
/// missing or is not a baseline.
expectations read_baseline(const std::string& file);

/// Parses the text of a baseline; error messages contain `name`. Throws reports::format_error.
expectations parse_baseline(std::string_view text, std::string_view name);

/// Returns the text of a baseline file, with one line for each count and for each ratio.
std::string write_baseline(const expectations& all);

/// Compares the texts of two baseline files. Returns the lines that only `before` contains, each with "-" in
/// front, and then the lines that only `after` contains, each with "+" in front. Ignores the order of lines.
std::string changed_lines(std::string_view before, std::string_view after);

/// Replaces the expected counts by the counts of a session. The counts are rounded so that a new run of the
/// same build changes few lines. If the baseline already has counts for a workload and contender, only their
/// metrics are updated: lines that a user removed stay removed.
void expect_counts(expectations& all, const std::vector<counted_result>& cells);

/// Replaces the expected ratios by the ratios of a report to its baseline, for each workload's primary
/// metrics. Ratios without an interval are left out.
void expect_ratios(expected_times& times, const reports::report& found);

}  // namespace loopbench::bench
