#include "bench/harness/gate/check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/model/metrics.hpp"

namespace loopbench::bench {

namespace {

/// A tolerance for rounding errors of doubles. Without it, a count at the limit of its slack could exceed the
/// limit.
constexpr double rounding = 1e-9;

std::string number(double value) {
    return fmt::format("{:.3f}", value == 0 ? 0.0 : value);
}

void compare_count(gate_result& found, const count_slack& slack, double measured) {
    const auto& metric = *reports::find_metric(found.metric);
    const double expected = *found.expected;
    const double reach = slack.around(metric, expected);
    found.measured = measured;
    const auto sentence = fmt::format("{} {}, expected {} ± {}", number(measured), metric.unit,
                                      number(expected), number(reach));
    found.brief = sentence;
    if (expected > 0 && measured > 0) found.times_as_bad = measured / expected;
    if (measured < -reach - rounding) {
        found.kind = gate_result_kind::unclear;
        found.message = sentence + "; a count cannot be negative, so count again";
    } else if (measured > expected + reach + rounding) {
        found.kind = gate_result_kind::regression;
        found.message = sentence + "; undo the change, or commit the new count (`check --update`)";
    } else if (measured < expected - reach - rounding) {
        found.kind = gate_result_kind::looser;
        found.message =
            sentence + "; this is better than the baseline file, so update the file (`check --update`)";
    } else {
        found.message = sentence;
    }
}

std::string why_missing(const counted_result& cell) {
    if (cell.missing.empty()) return "the metric was not counted; count it with `loopbench run --counts`";
    return fmt::format("the metric was not counted: {}", fmt::join(cell.missing, "; "));
}

gate_result check_count(const expected_count& expected, const count_slack& slack,
                        std::span<const counted_result> cells) {
    auto found = about(expected, gate_result_kind::unclear);
    found.expected = expected.per_op;
    const auto cell = reports::find_cell(cells, expected);
    if (cell == cells.end()) {
        found.message = why_missing({});
        return found;
    }
    const auto measured = cell->metrics.find(expected.metric);
    if (measured == cell->metrics.end()) {
        found.kind = cell->failed ? gate_result_kind::failed : gate_result_kind::unclear;
        found.message = why_missing(*cell);
        return found;
    }
    found.kind = gate_result_kind::holds;
    compare_count(found, slack, measured->second);
    return found;
}

}  // namespace

std::vector<gate_result> check_counts(const expectations& expected, std::span<const counted_result> cells) {
    std::vector<gate_result> all;
    for (const auto& item : expected.counts) all.push_back(check_count(item, expected.slack, cells));
    return all;
}

std::vector<counted_result> counts_in(const reports::report& report) {
    std::vector<counted_result> all;
    for (const auto& item : report.results) {
        const bool is_count = item.deterministic && item.median;
        const bool failed = item.status == reports::result_status::failed;
        const bool lost = failed || item.status == reports::result_status::not_run;
        if (!is_count && !lost) continue;
        auto cell = reports::find_cell(all, item);
        if (cell == all.end())
            cell = all.insert(cell, counted_result{item.workload, item.contender, {}, {}, false});
        if (is_count) cell->metrics[item.metric] = *item.median;
        if (!lost) continue;
        cell->failed = cell->failed || failed;
        cell->missing.push_back(item.reason.value_or("the trial failed"));
    }
    return all;
}

}  // namespace loopbench::bench
