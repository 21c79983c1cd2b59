#include "bench/gate/judgement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bench/summary/self_check.hpp"

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
    for (const auto& item : report.results) {
        if (item.status == cell_status::unsupported && !baseline_lacks(report, item))
            all.push_back(no_time(item));
        else if (item.metric == "time" && item.to_baseline)
            all.push_back(judged(item, tolerated_pct));
    }
    if (all.empty()) all.push_back(about_session(finding_kind::unclear, "nothing was compared"));
    return all;
}

}  // namespace loopbench::bench
