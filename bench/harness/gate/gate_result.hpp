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
    looser,  // better than the baseline file expects
    unclear,
    suspect,  // slower or worse, not yet confirmed by a second session
    unreliable,
    regression,  // worse, confirmed
    failed
};

constexpr auto names_of(gate_result_kind) {
    return std::to_array<std::string_view>(
        {"holds", "looser", "unclear", "suspect", "unreliable", "regression", "failed"});
}

/// A gate result about one metric of a workload and contender. If `workload` and `contender` are empty, it is
/// about the whole session.
struct gate_result {
    std::string workload, contender, metric;
    gate_result_kind kind = gate_result_kind::holds;
    std::optional<double> expected, measured;  // counts per operation, or ratios of times
    std::string message;                       // contains the remedy, except for `holds`
    std::string brief = {};                    // the message without its subject, for verdict_line()
    double times_as_bad = 1;                   // compared with the expected value; above 1 means worse
};

template <class line>
gate_result about(const line& of, gate_result_kind kind, std::string message = {}) {
    return {of.workload, of.contender, of.metric, kind, {}, {}, std::move(message)};
}

gate_result about_session(gate_result_kind kind, std::string message);

inline constexpr std::string_view for_more_repetitions =
    "run each program with --benchmark_repetitions=20, or let `loopbench compare` measure both programs";

inline constexpr std::string_view for_narrower_intervals_of_repetitions =
    "run each program with more --benchmark_repetitions, on a quieter machine, or let `loopbench compare` "
    "measure both programs";

inline constexpr std::string_view for_narrower_intervals =
    "measure again with more blocks (--blocks), or use a quieter machine";

enum class gate_outcome { pass, failed, regression, unreliable, inconclusive };

constexpr auto names_of(gate_outcome) {
    return std::to_array<std::string_view>({"pass", "failed", "regression", "unreliable", "inconclusive"});
}

/// Returns the first of these outcomes that applies: `failed`, `regression`, `unreliable`, `inconclusive`,
/// `pass`. `failed` comes first, because a failure does not depend on the machine. `regression` comes before
/// `unreliable`, because only a count can be a regression in an unreliable session. An undecided gate result
/// or an empty list gives `inconclusive`.
gate_outcome outcome_of(std::span<const gate_result> results);

std::vector<const gate_result*> most_severe_first(std::span<const gate_result> results);

std::string_view verdict_word(gate_outcome outcome);

/// Returns the verdict and the five most severe gate results, for example "SLOWER: BM_sort by 2.2 % (1.6 to
/// 2.8). BM_concat: undecided (smallest detectable difference 5.7 %)." All formats begin with this line.
std::string verdict_line(std::span<const gate_result> results);

}  // namespace loopbench::bench
