// A baseline: what the operations of a build are expected to cost, in a file small enough to be read by a
// person, to be committed, and to be reviewed as a difference. reports/baseline.schema.json says the same to
// others.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/experiment/counted.hpp"
#include "bench/trial/contender_list.hpp"
#include "reports/metrics.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

inline constexpr std::string_view baseline_schema = "loopbench-baseline/1";

/// How far a count may be from what is expected: the sum of a fixed part and a share of the expected count.
struct count_slack {
    double per_op = 0.02;  // of counts
    double bytes = 2;      // of bytes per operation, which one small allocation in fifty operations changes
    double pct = 2;

    /// In the metric's unit.
    [[nodiscard]] double around(const reports::metric_info& metric, double expected) const;
};

struct expected_count {
    std::string workload, contender, metric;
    double per_op = 0;
};

/// A contender's value against another contender's, from pairs of one session; above 1 is better.
struct expected_ratio {
    std::string workload, contender;
    double median = 1, low = 1, high = 1;
    std::optional<reports::way> made;  // how the trials of both were made; older baselines do not say it
    std::string metric = "time";       // all that older baselines have
};

/// Ratios hold on the machine and for the sizes that they were taken with.
struct expected_times {
    std::string to;  // the contender that ratios are taken to
    workload_size size = workload_size::real;
    std::string machine;  // as machine_of() says it
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

/// Whether both are about one metric of one cell.
template <class one, class other>
bool same_line(const one& left, const other& right) {
    return reports::same_cell(left, right) && left.metric == right.metric;
}

/// The cells that the baseline has lines about, each once.
std::vector<cell_name> cells_of(const expectations& all, std::optional<tier> only = {});

/// Those names of the cells, each once.
std::vector<std::string> names_in(const std::vector<cell_name>& cells, std::string cell_name::*which);

/// Adds a name that is not among them.
void add_once(std::vector<std::string>& names, const std::string& name);

/// The machine as far as ratios depend on it: processor, cores and kernel.
std::string machine_of(const reports::environment& where);

/// The size that was measured at; nothing for a report of before the plan was written.
std::optional<workload_size> size_of(const reports::report& report);

/// The baseline in the file. Throws usage_error naming the file, the cause and the remedy when there is none,
/// or something else.
expectations read_baseline(const std::string& file);

/// The baseline in the text. Throws reports::format_error.
expectations parse_baseline(std::string_view text);

/// The baseline as a file has it: a line for each count and for each ratio.
std::string write_baseline(const expectations& all);

/// The lines that only one of two such texts has: with "-" those of `before`, and then with "+" those of
/// `after`. Each is about a number of its own, so their order says nothing.
std::string changed_lines(std::string_view before, std::string_view after);

/// What a session found becomes what is expected, rounded so that a new run of the same build changes few
/// lines. Counts of a cell that has some keep their choice of metrics: a line that somebody took out stays
/// out.
void expect_counts(expectations& all, const std::vector<counted_cell>& cells);

/// The same for the ratios of a report to its baseline, in what each workload is about; those without an
/// interval are left out.
void expect_ratios(expected_times& times, const reports::report& found);

}  // namespace loopbench::bench
