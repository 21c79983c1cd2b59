// A baseline file contains the expected counts and ratios of a build. reports/model/baseline.schema.json
// defines its format.
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

struct count_slack {
    double per_op = 0.02;  // the fixed part of the slack, for counts per operation
    double bytes = 2;      // the fixed part for bytes, which allows a small allocation per 50 operations
    double pct = 2;        // the share of the expected count, in per cent

    [[nodiscard]] double around(const reports::metric_info& metric, double expected) const;
};

struct expected_count {
    std::string workload, contender, metric;
    double per_op = 0;
};

/// The expected ratio of a contender to the contender expected_times::to. A ratio above 1 means that the
/// first of the two is better.
struct expected_ratio {
    std::string workload, contender;
    double median = 1, low = 1, high = 1;
    reports::pairing made = reports::pairing::sequential;
    std::string metric = "time";
};

/// The expected ratios of a baseline file. They are valid only for one machine and one workload size.
struct expected_times {
    std::string to;
    workload_size size = workload_size::full;
    std::string machine;  // see machine_of()
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

template <class one, class other>
bool same_line(const one& left, const other& right) {
    return reports::same_cell(left, right) && left.metric == right.metric;
}

std::vector<cell_name> cells_of(const expectations& all, std::optional<tier> only = {});

std::vector<std::string> names_in(const std::vector<cell_name>& cells, std::string cell_name::*which);

void add_once(std::vector<std::string>& names, const std::string& name);

std::string machine_of(const reports::environment& where);

std::optional<workload_size> size_of(const reports::report& report);

/// Reads a baseline file. Throws usage_error if the file is missing or invalid.
expectations read_baseline(const std::string& file);

/// Parses the text of a baseline file. Throws reports::format_error, with `name` in its message, if the text
/// is invalid.
expectations parse_baseline(std::string_view text, std::string_view name);

std::string write_baseline(const expectations& all);

/// Returns the lines that only `before` contains, with "-" in front, and then the lines that only `after`
/// contains, with "+" in front. Ignores the order of lines.
std::string changed_lines(std::string_view before, std::string_view after);

/// Writes the measured counts into `all`, rounded so that a new run of the same build changes few lines of
/// the baseline file. If `all` already has counts for a workload and contender, adds no metric to them,
/// because a user might have removed lines on purpose.
void expect_counts(expectations& all, const std::vector<counted_result>& cells);

void expect_ratios(expected_times& times, const reports::report& found);

}  // namespace loopbench::bench
