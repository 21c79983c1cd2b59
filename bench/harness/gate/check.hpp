// Checks a build against a baseline: counts by slack, times by statistics, and both together.
//
// Counts are the same on any machine and at any time, so one count alone can fail a build. Times are not: a
// ratio fails only if its interval lies beyond the threshold, a second session with its own trials confirms
// this, and both sessions find the baseline contender equal to itself.
#pragma once

#include <span>
#include <vector>

#include "bench/harness/gate/baseline.hpp"
#include "bench/harness/gate/gate_result.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns a gate result for each count of the baseline. A count exactly at the end of its slack holds.
std::vector<gate_result> check_counts(const expectations& expected, std::span<const counted_result> cells);

/// Returns the counts of a report.
std::vector<counted_result> counts_in(const reports::report& report);

struct time_rule {
    double threshold_pct = 1;  // smaller differences are ignored
    double tolerated_pct = 5;  // larger slowdowns must be ruled out
};

/// Returns a gate result for each ratio of the baseline, judged by one session. If the session cannot judge
/// any ratio, returns one for each failed contender, and one with the reason. Nothing is a regression yet: a
/// ratio that is slower, or worse in another metric, is suspect. For the other ratios, the same must be ruled
/// out as for compare (tolerated_in, judgement.hpp).
///
/// Today's pairs are compared with the end of the expected interval that is nearest to their median, so that
/// the baseline's uncertainty never counts against the build. The verdicts correct for the number of
/// comparisons of the same metric (Holm), as for compare.
std::vector<gate_result> check_times(const expected_times& expected, const reports::report& session,
                                     const time_rule& rule);

/// Returns the suspects among the gate results, as a baseline for the second session.
expected_times suspects_of(const expected_times& expected, std::span<const gate_result> results);

/// Returns the first session's gate results after the second session: a suspect of both is a regression. If
/// the second session is unreliable, that replaces all suspects.
std::vector<gate_result> confirm(std::vector<gate_result> first, const expected_times& expected,
                                 const reports::report& second, const time_rule& rule);

}  // namespace loopbench::bench
