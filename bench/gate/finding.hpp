// What a comparison found, cell by cell. Whatever compares (two builds, two reports, a build with a baseline)
// gives such findings; what they mean together, and how they are shown, is said once.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace loopbench::bench {

enum class finding_kind {
    holds,
    looser,      // better than what it was compared with
    unclear,     // too little is known
    suspect,     // slower or worse, and no second session has confirmed it yet
    unfit,       // the session says nothing about times
    regression,  // worse, beyond doubt
    failed       // the contender did not do its work
};

constexpr auto names_of(finding_kind) {
    return std::to_array<std::string_view>(
        {"holds", "looser", "unclear", "suspect", "unfit", "regression", "failed"});
}

/// About one metric of a cell, or, without workload and contender, about a whole session.
struct gate_finding {
    std::string workload, contender, metric;
    finding_kind kind = finding_kind::holds;
    std::optional<double> expected, measured;  // per operation; of what is measured, ratios
    std::string message;                       // a sentence; for all but `holds` with the remedy
};

/// About what `line` names with its workload, contender and metric.
template <class line>
gate_finding about(const line& of, finding_kind kind, std::string message = {}) {
    return {of.workload, of.contender, of.metric, kind, {}, {}, std::move(message)};
}

gate_finding about_session(finding_kind kind, std::string message);

enum class gate_outcome { pass, failed, regression, unfit, inconclusive };

constexpr auto names_of(gate_outcome) {
    return std::to_array<std::string_view>({"pass", "failed", "regression", "unfit", "inconclusive"});
}

/// What findings mean, and the order in which they outrank each other. That a contender failed is a fact
/// whatever the machine does. Then a regression: of times there is none in a session that is unfit, so it is
/// one of counts, or the session was fit. An unfit session is neither red nor green. Nothing passes while
/// anything is unclear, or when there is nothing at all.
gate_outcome outcome_of(std::span<const gate_finding> findings);

}  // namespace loopbench::bench
