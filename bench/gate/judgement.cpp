#include "bench/gate/judgement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "bench/summary/self_check.hpp"
#include "reports/headline.hpp"

namespace loopbench::bench {

namespace {

using reports::cell_status;
using reports::result;
using reports::verdict;

gate_finding about(const result& item, finding_kind kind, std::string message) {
    return {item.workload, item.contender, item.metric, kind, {}, {}, std::move(message)};
}

/// Whether the baseline has a line without a time, so that nothing could be compared anyway.
bool baseline_lacks(const reports::report& report, const result& item) {
    return std::ranges::any_of(report.results, [&](const result& other) {
        return other.contender == report.baseline && other.workload == item.workload &&
               other.metric == "time" && !other.median;
    });
}

/// What each workload is judged by: time, or where that is a schedule's, what the workload is about first, of
/// what has a ratio. Nothing where nothing has.
std::map<std::string_view, std::string> judged_metrics(const reports::report& report) {
    std::set<std::pair<std::string_view, std::string_view>> with_ratio;
    for (const auto& item : report.results)
        if (item.to_baseline) with_ratio.emplace(item.workload, item.metric);
    const auto headline = reports::headline_metrics_by_workload(report);
    std::map<std::string_view, std::string> all;
    for (const auto& item : report.results) {
        const auto [place, is_new] = all.emplace(item.workload, "time");
        if (!is_new || with_ratio.contains({item.workload, "time"})) continue;
        place->second.clear();
        for (const auto& metric : headline.at(item.workload))
            if (place->second.empty() && with_ratio.contains({item.workload, metric})) place->second = metric;
    }
    return all;
}

gate_finding no_time(const result& item) {
    return about(item, finding_kind::unclear,
                 fmt::format("there is no time to compare: {}; have it measured, or leave its workload out",
                             item.reason.value_or("unsupported")));
}

/// How much of it the code's place alone can do.
std::string of_layouts(const result& item) {
    return item.layout_pct ? fmt::format(" (one layout of the same code differs from another by {:.1f} %)",
                                         *item.layout_pct)
                           : "";
}

gate_finding judged(const result& item, double tolerated_pct) {
    const auto& ratio = *item.to_baseline;
    auto found =
        about(item, finding_kind::holds, fmt::format("{:.3f} times the speed of {}", ratio.median, ratio.to));
    found.expected = 1;
    found.measured = ratio.median;
    if (item.judged == verdict::slower) {
        found.kind = finding_kind::regression;
        found.message = fmt::format("slower by {:.1f} %{}", 100 * (1 / ratio.median - 1), of_layouts(item));
    } else if (!ratio.low || *ratio.low <= 1 / (1 + tolerated_pct / 100)) {
        found.kind = finding_kind::unclear;
        found.message =
            fmt::format("a slowdown of {:g} % is not ruled out{}; run more blocks or on a quieter machine",
                        tolerated_pct, of_layouts(item));
    } else if (item.judged == verdict::faster) {
        found.kind = finding_kind::looser;
    }
    return found;
}

}  // namespace

std::vector<gate_finding> judge_session(const reports::report& report) {
    std::vector<gate_finding> all;
    for (const auto& item : report.results) {
        if (item.status == cell_status::failed)
            all.push_back(about(item, finding_kind::failed, item.reason.value_or("failed")));
        if (item.status == cell_status::not_run) all.push_back(no_time(item));
    }
    if (is_unfit(report)) all.push_back(about_session(finding_kind::unfit, *report.aa->reason));
    return all;
}

std::vector<gate_finding> judge_gate(const reports::report& report, double tolerated_pct) {
    auto all = judge_session(report);
    if (is_unfit(report)) return all;
    if (report.aa && report.aa->found == reports::fitness::unknown)
        all.push_back(
            about_session(finding_kind::unclear,
                          fmt::format("whether the machine is fit to measure on is not known: {}; run "
                                      "more blocks",
                                      report.aa->reason.value_or("nothing was measured twice"))));
    for (const auto& warning : report.warnings)
        if (warning.code == "waited_together")  // CPU time is judged there, which a wait does not take
            all.push_back(
                about_session(finding_kind::unclear, fmt::format("{}; {}", warning.message, warning.remedy)));
    const auto judged_by = judged_metrics(report);
    for (const auto& item : report.results) {
        const auto& metric = judged_by.at(item.workload);
        const bool is_measured = item.status == cell_status::ok && item.contender != report.baseline;
        if (item.status == cell_status::unsupported && !baseline_lacks(report, item))
            all.push_back(no_time(item));
        else if (item.to_baseline && item.metric == metric)
            all.push_back(judged(item, tolerated_pct));
        else if (is_measured && item.metric == "time" && metric.empty() && !baseline_lacks(report, item))
            all.push_back(about(item, finding_kind::unclear,
                                fmt::format("nothing of it can be compared: {}",
                                            item.reason.value_or("no pair of trials has a time"))));
    }
    if (all.empty()) all.push_back(about_session(finding_kind::unclear, "nothing was compared"));
    return all;
}

}  // namespace loopbench::bench
