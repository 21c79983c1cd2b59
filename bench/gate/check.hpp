// A build against a baseline: counts by slack, times by statistics, and what both mean together.
//
// Counts are the same on any machine and at any hour, so that one alone can fail a build. Times are not: a
// ratio fails only when its interval lies beyond the threshold, a second session with trials of its own says
// so too, and both sessions find the baseline contender equal to itself.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/gate/baseline.hpp"
#include "bench/gate/gate.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

enum class finding_kind {
    holds,
    looser,      // the baseline is: what was measured is better
    unclear,     // too little is known
    suspect,     // a time that is slower, and that no second session has confirmed yet
    unfit,       // the session says nothing about times
    regression,  // a count beyond its slack, or a confirmed time
    failed       // the contender did not do its work
};

std::string_view name_of(finding_kind kind);

/// About one line of the baseline, or, without workload and contender, about a whole session.
struct check_finding {
    std::string workload, contender, metric;
    finding_kind kind = finding_kind::holds;
    std::optional<double> expected, measured;  // per operation; of `time`, ratios
    std::string message;                       // a sentence; for all but `holds` with the remedy
};

/// What findings mean for the build. What failed comes first, then a regression; next, a session that is
/// unfit is neither red nor green; and nothing passes while anything is unclear, or when there is nothing at
/// all.
gate_outcome outcome_of(std::span<const check_finding> findings);

/// A finding for each count of the baseline. A count exactly at the end of its slack holds.
std::vector<check_finding> check_counts(const expectations& expected, std::span<const counted_cell> cells);

/// The counts of a report.
std::vector<counted_cell> counts_in(const reports::report& report);

struct time_rule {
    double threshold_pct = 1;  // smaller differences are none
    double tolerated_pct = 5;  // slowdowns of more than this have to be ruled out
};

/// A finding for each ratio of the baseline, by one session. Nothing is a regression yet: what is slower is
/// suspect.
///
/// Today's pairs are compared with the end of the expected interval that is nearest to their median, so that
/// the doubt in the baseline never counts against the build; the verdicts correct for their number (Holm), as
/// those of compare.
std::vector<check_finding> check_times(const expected_times& expected, const reports::report& session,
                                       const time_rule& rule);

/// The suspects among the findings, as a baseline of their own for the second session.
expected_times suspects_of(const expected_times& expected, std::span<const check_finding> findings);

/// The first session's findings after the second: a suspect of both is a regression. When the second is
/// unfit, all suspects make way for that.
std::vector<check_finding> confirm(std::vector<check_finding> first, const expected_times& expected,
                                   const reports::report& second, const time_rule& rule);

}  // namespace loopbench::bench
