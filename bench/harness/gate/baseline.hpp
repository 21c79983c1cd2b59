// A baseline: the expected cost of a build's operations, in a file that is small enough to read, commit and
// review as a diff. reports/model/baseline.schema.json defines it for others.
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

/// The allowed distance of a count from the expected one: the sum of a fixed part and a share of the expected
/// count.
struct count_slack {
    double per_op = 0.02;  // for counts
    double bytes = 2;      // for bytes per operation; one small allocation in fifty operations changes these
    double pct = 2;

    /// Returns the slack in the metric's unit.
    [[nodiscard]] double around(const reports::metric_info& metric, double expected) const;
};

struct expected_count {
    std::string workload, contender, metric;
    double per_op = 0;
};

/// A contender's value compared with another contender's, from pairs of one session; above 1 is better.
struct expected_ratio {
    std::string workload, contender;
    double median = 1, low = 1, high = 1;
    reports::pairing made = reports::pairing::sequential;  // the pairing of both
    std::string metric = "time";
};

/// Expected ratios, valid for the machine and the sizes with which they were measured.
struct expected_times {
    std::string to;  // the contender that ratios are relative to
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

/// Returns true if both are about the same metric of the same workload and contender.
template <class one, class other>
bool same_line(const one& left, const other& right) {
    return reports::same_cell(left, right) && left.metric == right.metric;
}

/// Returns the workloads and contenders that the baseline has lines about, each pair once.
std::vector<cell_name> cells_of(const expectations& all, std::optional<tier> only = {});

/// Returns the workload or contender names in `cells`, each once.
std::vector<std::string> names_in(const std::vector<cell_name>& cells, std::string cell_name::*which);

/// Adds a name if it is missing.
void add_once(std::vector<std::string>& names, const std::string& name);

/// Returns the machine's properties on which ratios depend: processor, cores and kernel.
std::string machine_of(const reports::environment& where);

/// Returns the size that was measured; nothing if another program measured.
std::optional<workload_size> size_of(const reports::report& report);

/// Reads the baseline in the file. Throws usage_error with the file, the cause and the remedy if there is
/// none, or if it is something else.
expectations read_baseline(const std::string& file);

/// Parses the text of a baseline; `name` is for messages. Throws reports::format_error.
expectations parse_baseline(std::string_view text, std::string_view name);

/// Returns the text of a baseline's file: a line for each count and for each ratio.
std::string write_baseline(const expectations& all);

/// Returns the lines that only one of two such texts has: first those of `before`, with "-", then those of
/// `after`, with "+". Each line has its own number, so the order has no meaning.
std::string changed_lines(std::string_view before, std::string_view after);

/// Makes a session's counts the expected ones, rounded so that a new run of the same build changes few lines.
/// If a workload and contender already have counts, their choice of metrics is kept: lines that a user
/// removed stay removed.
void expect_counts(expectations& all, const std::vector<counted_result>& cells);

/// Makes a report's ratios to its baseline the expected ones, in each workload's primary metrics; ratios
/// without an interval are left out.
void expect_ratios(expected_times& times, const reports::report& found);

}  // namespace loopbench::bench
