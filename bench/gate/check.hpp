// A build against a baseline: counts by slack, times by statistics, and what both mean together.
//
// Counts are the same on any machine and at any hour, so that one alone can fail a build. Times are not: a
// ratio fails only when its interval lies beyond the threshold, a second session with trials of its own says
// so too, and both sessions find the baseline contender equal to itself.
#pragma once

#include <span>
#include <vector>

#include "bench/gate/baseline.hpp"
#include "bench/gate/finding.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

/// A finding for each count of the baseline. A count exactly at the end of its slack holds.
std::vector<gate_finding> check_counts(const expectations& expected, std::span<const counted_cell> cells);

/// The counts of a report.
std::vector<counted_cell> counts_in(const reports::report& report);

struct time_rule {
    double threshold_pct = 1;  // smaller differences are none
    double tolerated_pct = 5;  // slowdowns of more than this have to be ruled out
};

/// A finding for each ratio of the baseline, by one session; of one that can say nothing about any, a finding
/// for each that failed, and then why. Nothing is a regression yet: what is slower, or
/// worse in another metric, is suspect. What has to be ruled out of the rest is as of compare (tolerated_in,
/// judgement.hpp).
///
/// Today's pairs are compared with the end of the expected interval that is nearest to their median, so that
/// the doubt in the baseline never counts against the build; the verdicts correct for the number of those of
/// the same metric (Holm), as those of compare.
std::vector<gate_finding> check_times(const expected_times& expected, const reports::report& session,
                                      const time_rule& rule);

/// The suspects among the findings, as a baseline of their own for the second session.
expected_times suspects_of(const expected_times& expected, std::span<const gate_finding> findings);

/// The first session's findings after the second: a suspect of both is a regression. When the second is
/// unfit, all suspects make way for that.
std::vector<gate_finding> confirm(std::vector<gate_finding> first, const expected_times& expected,
                                  const reports::report& second, const time_rule& rule);

}  // namespace loopbench::bench
