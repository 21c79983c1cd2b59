// Judges in the order in which outcomes outrank each other.
#include "bench/gate/gate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/summary/self_check.hpp"
#include "bench/summary/summary.hpp"

namespace loopbench::bench {

namespace {

using reports::cell_status;
using reports::result;

bool rules_out(const result& item, double slowdown_pct) {
    return item.to_baseline->low && *item.to_baseline->low > 1 / (1 + slowdown_pct / 100);
}

/// Whether the baseline has a line without a time, so that nothing could be compared anyway.
bool baseline_lacks(const reports::report& report, const result& item) {
    return std::ranges::any_of(report.results, [&](const result& other) {
        return other.contender == report.baseline && other.workload == item.workload &&
               other.metric == "time" && !other.median;
    });
}

std::string named(const result& item, std::string_view what) {
    return fmt::format("{} on {}: {}", item.contender, item.workload, what);
}

template <class predicate, class text>
bool take(gate_result& found, const reports::report& report, gate_outcome outcome, predicate applies,
          text sentence) {
    for (const auto& item : report.results)
        if (applies(item)) found.reasons.push_back(named(item, sentence(item)));
    if (found.reasons.empty()) return false;
    found.outcome = outcome;
    return true;
}

bool has_failed(const result& item) {
    return item.status == cell_status::failed;
}

template <class predicate>
gate_result judge_session(const reports::report& report, predicate failed) {
    gate_result found;
    if (take(found, report, gate_outcome::failed, failed,
             [](const result& item) { return item.reason.value_or("failed"); }))
        return found;
    if (is_unfit(report)) return {gate_outcome::unfit, {*report.aa->reason}};
    return found;
}

}  // namespace

gate_result judge_session(const reports::report& report) {
    return judge_session(report, has_failed);
}

gate_result judge_gate(const reports::report& report, double tolerated_pct) {
    auto found = judge_session(
        report, [](const result& item) { return has_failed(item) && !was_never_reached(item); });
    if (found.outcome != gate_outcome::pass) return found;
    const auto is_compared = [](const result& item) { return item.metric == "time" && item.to_baseline; };
    const auto slower = [&](const result& item) {
        return is_compared(item) && item.judged == reports::verdict::slower;
    };
    const auto unclear = [&](const result& item) {
        return is_compared(item) && !rules_out(item, tolerated_pct);
    };
    const auto lost = [&](const result& item) {
        return was_never_reached(item) ||
               (item.status == cell_status::unsupported && !baseline_lacks(report, item));
    };
    if (take(found, report, gate_outcome::regression, slower, [](const result& item) {
            return fmt::format("slower by {:.1f} %", 100 * (1 / item.to_baseline->median - 1));
        }))
        return found;
    take(found, report, gate_outcome::inconclusive, lost, [](const result& item) {
        return fmt::format("there is no time to compare: {}; have it measured, or leave its workload out",
                           item.reason.value_or("unsupported"));
    });
    if (take(found, report, gate_outcome::inconclusive, unclear, [&](const result&) {
            return fmt::format(
                "a slowdown of {:g} % is not ruled out; run more blocks or on a quieter machine",
                tolerated_pct);
        }))
        return found;
    const auto compared = std::ranges::any_of(report.results, is_compared);
    if (!compared) return {gate_outcome::inconclusive, {"nothing was compared"}};
    return found;
}

}  // namespace loopbench::bench
