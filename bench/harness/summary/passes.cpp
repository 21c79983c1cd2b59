#include "bench/harness/summary/passes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "bench/catalog/workload_table.hpp"
#include "bench/harness/statistics/median.hpp"
#include "reports/model/metrics.hpp"

namespace loopbench::bench {

namespace {

reports::result to_result(const counted_result& cell, const reports::metric_info& metric, double value) {
    auto result = reports::result_of(cell.workload, cell.contender, metric);
    result.deterministic = metric.deterministic && !counts_vary(cell.workload);
    result.median = result.low = result.high = value;
    result.samples = {value};
    if (const auto samples = cell.samples.find(result.metric); samples != cell.samples.end()) {
        const auto estimated = median_with_interval(samples->second);
        result.median = estimated.median;
        result.low = estimated.low;
        result.high = estimated.high;
        result.samples.assign(samples->second.begin(), samples->second.end());
    }
    if ((metric.name == "syscalls" || metric.name == "futex_calls") && !cell.tracer.empty())
        result.reason = fmt::format("counted by {}", cell.tracer);
    return result;
}

void insert(reports::report& report, const counted_result& cell) {
    const auto is_of_cell = [&](const reports::result& each) { return reports::same_cell(each, cell); };
    std::erase_if(report.results, [&](const reports::result& each) {
        return is_of_cell(each) && cell.metrics.contains(each.metric);
    });
    const auto last = std::find_if(report.results.rbegin(), report.results.rend(), is_of_cell);
    auto where = last.base();
    for (const auto& metric : reports::known_metrics())
        if (const auto found = cell.metrics.find(std::string{metric.name}); found != cell.metrics.end())
            where = std::next(report.results.insert(where, to_result(cell, metric, found->second)));
}

void warn_of_missing(reports::report& report, std::span<const counted_result> cells) {
    std::map<std::string, std::size_t> reasons;
    for (const auto& cell : cells)
        for (const auto& reason : cell.missing) ++reasons[reason];
    for (const auto& [reason, count] : reasons)
        report.warnings.push_back(
            {"counts_missing",
             fmt::format("{} of {} results lack counts or checks: {}", count, cells.size(), reason),
             "see the names of these results in counts.json, or in the line \"counted\" of the journal"});
}

estimate doubling_of(const counted_result& cell, double median) {
    const auto samples = cell.samples.find("doubling");
    return samples == cell.samples.end() ? estimate{median, median, median}
                                         : median_with_interval(samples->second);
}

std::string text_of(const estimate& doubling) {
    if (!doubling.low || !doubling.high || doubling.low == doubling.high)
        return fmt::format("{:.2f}", doubling.median);
    return fmt::format("{:.2f} [{:.2f}, {:.2f}]", doubling.median, *doubling.low, *doubling.high);
}

void warn_of_doubling(reports::report& report, std::span<const counted_result> cells) {
    std::vector<std::string> odd;
    for (const auto& cell : cells) {
        const auto found = cell.metrics.find("doubling");
        if (found == cell.metrics.end() || !has_time(report, cell.workload, cell.contender)) continue;
        const auto doubling = doubling_of(cell, found->second);
        if (!is_within_bounds(doubling))
            odd.push_back(fmt::format("{} of {} ({})", cell.workload, cell.contender, text_of(doubling)));
    }
    if (odd.empty()) return;
    report.warnings.push_back(
        {"doubling",
         fmt::format("twice the work might not take twice the time (the interval of t(2N)/t(N) must lie "
                     "between {:g} and {:g}): {}",
                     doubling_least, doubling_most, fmt::join(odd, ", ")),
         "repeat the run on a quiet machine; if the warning stays, part of the time does not grow with the "
         "number of operations, so do not quote the time per operation"});
}

}  // namespace

bool has_time(const reports::report& report, const std::string& workload, const std::string& contender) {
    const auto* found = reports::find_result(report, workload, contender);
    return found != nullptr && found->status == reports::result_status::ok;
}

void add_counts(reports::report& report, std::span<const counted_result> cells) {
    for (const auto& cell : cells)
        if (has_time(report, cell.workload, cell.contender)) insert(report, cell);
    warn_of_missing(report, cells);
    warn_of_doubling(report, cells);
}

}  // namespace loopbench::bench
