#include "bench/harness/summary/result_laws.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/catalog/workload_table.hpp"
#include "bench/harness/statistics/median.hpp"
#include "reports/model/report_index.hpp"

namespace loopbench::bench {

namespace {

void check_calls(const reports::report& report, const counted_result& cell, std::vector<broken_law>& all) {
    const auto calls = cell.metrics.find("syscalls");
    const auto* const time = reports::find_result(report, cell.workload, cell.contender, "time");
    const auto* const shape =
        find_shape(cell.workload);  // null for third-party workloads, whose number of threads is unknown
    // A tracer changes which calls several threads make, so these counts do not belong to the measured time.
    if (shape == nullptr || counts_vary(cell.workload) || calls == cell.metrics.end() ||
        !report.where.cheapest_call_ns || time == nullptr || !time->median)
        return;
    const double least = calls->second * *report.where.cheapest_call_ns / shape->cores;
    const double most = time->high.value_or(*time->median);
    if (most >= least) return;
    all.push_back(
        {cell.workload, cell.contender,
         fmt::format(
             "impossible numbers: an operation took {:.0f} ns, which is too short for its {:.2f} system "
             "calls, because the cheapest system call takes {:.0f} ns on this machine",
             most, calls->second, *report.where.cheapest_call_ns)});
}

void check_doubling(const counted_result& cell, std::vector<broken_law>& all) {
    const auto samples = cell.samples.find("doubling");
    if (samples == cell.samples.end()) return;
    const auto found = median_with_interval(samples->second);
    if (!found.low || !found.high || (*found.high >= doubling_least && *found.low <= doubling_most)) return;
    all.push_back(
        {cell.workload, cell.contender,
         fmt::format("impossible numbers: twice the operations took {:.2f} times as long ({:.2f} to {:.2f}); "
                     "expected {:g} to {:g}",
                     found.median, *found.low, *found.high, doubling_least, doubling_most)});
}

}  // namespace

std::vector<broken_law> laws_broken_by_counts(const reports::report& report,
                                              std::span<const counted_result> cells) {
    std::vector<broken_law> all;
    for (const counted_result& cell : cells) {
        check_calls(report, cell, all);
        check_doubling(cell, all);
    }
    return all;
}

std::vector<broken_law> laws_broken_among_floors(const reports::report& report) {
    constexpr double impossible = 5;  // two floors cannot differ by more than this factor
    const reports::report_index index{report};
    // Other programs can make a single trial many times as long. An interval shows this, a median does not.
    const auto is_measured_floor = [&](const reports::result& item) {
        return item.metric == "time" && item.median && index.is_floor(item.contender) &&
               (item.high || report.disturbed.kept == 0);
    };
    std::vector<broken_law> all;
    for (const auto& item : report.results) {
        const auto* const shape = find_shape(item.workload);
        if (shape != nullptr && shape->threads > 1) continue;  // waiting for each other has no limit
        if (!is_measured_floor(item)) continue;
        for (const auto& other : report.results)
            if (other.workload == item.workload && is_measured_floor(other) &&
                other.low.value_or(*other.median) > impossible * item.high.value_or(*item.median)) {
                all.push_back(
                    {item.workload, item.contender,
                     fmt::format("impossible numbers: this floor took {:.4g} ns, less than a fifth of "
                                 "the {:.4g} ns of {}, so one of the two floors does other work",
                                 *item.median, *other.median, other.contender)});
                break;
            }
    }
    return all;
}

}  // namespace loopbench::bench
