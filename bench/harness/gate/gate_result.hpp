// Gate results: what a comparison found for each workload and contender. Every comparison (of two builds, of
// two reports, of a build with a baseline) returns these; their common meaning and their formats are defined
// once.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace loopbench::bench {

enum class gate_result_kind {
    holds,
    looser,      // better than expected
    unclear,     // undecided
    suspect,     // slower or worse, not yet confirmed by a second session
    unreliable,  // the session cannot judge times
    regression,  // worse, confirmed
    failed       // the contender did not do its work
};

constexpr auto names_of(gate_result_kind) {
    return std::to_array<std::string_view>(
        {"holds", "looser", "unclear", "suspect", "unreliable", "regression", "failed"});
}

/// A gate result about one metric of a workload and contender, or, without these, about a whole session.
struct gate_result {
    std::string workload, contender, metric;
    gate_result_kind kind = gate_result_kind::holds;
    std::optional<double> expected, measured;  // per operation; for times, ratios
    std::string message;                       // a sentence; with the remedy, except for `holds`
};

/// Returns a gate result for the workload, contender and metric of `line`.
template <class line>
gate_result about(const line& of, gate_result_kind kind, std::string message = {}) {
    return {of.workload, of.contender, of.metric, kind, {}, {}, std::move(message)};
}

gate_result about_session(gate_result_kind kind, std::string message);

/// The remedy for intervals that are too wide.
inline constexpr std::string_view for_narrower_intervals =
    "run more blocks (--blocks), or use a quieter machine";

enum class gate_outcome { pass, failed, regression, unreliable, inconclusive };

constexpr auto names_of(gate_outcome) {
    return std::to_array<std::string_view>({"pass", "failed", "regression", "unreliable", "inconclusive"});
}

/// Returns the outcome of gate results; a higher rank wins. A failed contender is first, because that is a
/// fact on any machine. Then a regression: an unreliable session finds none in times, so it is one of counts,
/// or the session was reliable. An unreliable session is neither red nor green. Nothing passes while anything
/// is undecided, or if there are no gate results.
gate_outcome outcome_of(std::span<const gate_result> results);

}  // namespace loopbench::bench
