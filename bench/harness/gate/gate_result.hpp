// Defines gate results. Every comparison of two builds, of two reports, or of a build with a baseline file
// returns a list of gate results. gate_result_formats.hpp defines their formats.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// A gate result about one metric of a workload and contender. If `workload` and `contender` are empty, the
/// gate result is about a whole session.
struct gate_result {
    std::string workload, contender, metric;
    gate_result_kind kind = gate_result_kind::holds;
    std::optional<double> expected, measured;  // counts per operation, or ratios of times
    std::string message;                       // a sentence; contains the remedy, except for `holds`
    std::string brief = {};                    // for verdict_line(): the message without its subject
    double times_as_bad = 1;                   // compared with the expected value; above 1 means worse
};

/// Returns a gate result of this kind for the workload, contender and metric of `of`.
template <class line>
gate_result about(const line& of, gate_result_kind kind, std::string message = {}) {
    return {of.workload, of.contender, of.metric, kind, {}, {}, std::move(message)};
}

gate_result about_session(gate_result_kind kind, std::string message);

/// The remedy, part of a message, for intervals that are too wide.
inline constexpr std::string_view for_narrower_intervals =
    "measure again with more blocks (--blocks), or use a quieter machine";

enum class gate_outcome { pass, failed, regression, unreliable, inconclusive };

constexpr auto names_of(gate_outcome) {
    return std::to_array<std::string_view>({"pass", "failed", "regression", "unreliable", "inconclusive"});
}

/// Returns the outcome of all gate results. The first rule that applies decides. A failed contender gives
/// `failed`, because a failure does not depend on the machine. A regression gives `regression`. (In an
/// unreliable session, only a count can be a regression.) An unreliable session gives `unreliable`. An
/// undecided gate result gives `inconclusive`, and so does an empty list.
gate_outcome outcome_of(std::span<const gate_result> results);

/// Returns the gate results that are not `holds`, the most severe first.
std::vector<const gate_result*> most_severe_first(std::span<const gate_result> results);

/// Returns the word with which verdict_line() begins for this outcome: PASS, FAILED, SLOWER, UNRELIABLE or
/// UNDECIDED.
std::string_view verdict_word(gate_outcome outcome);

/// Returns a line with the verdict and then the five most severe gate results, for example "SLOWER: BM_sort
/// by 2.2 % (1.6 to 2.8). BM_concat: undecided (smallest detectable difference 5.7 %)." All formats begin
/// with this line.
std::string verdict_line(std::span<const gate_result> results);

}  // namespace loopbench::bench
