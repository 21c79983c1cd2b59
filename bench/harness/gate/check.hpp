// Checks a build against a baseline: counts by their slack, and times by statistics.
//
// Counts are the same on any machine and at any time, so that one wrong count fails a build. Times vary. A
// ratio fails a build only if its interval lies beyond the threshold, a second session with its own trials
// confirms the result, and the A/A comparison of both sessions finds no difference.
#pragma once

#include <span>
#include <vector>

#include "bench/harness/gate/baseline.hpp"
#include "bench/harness/gate/gate_result.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns a gate result for each count of the baseline. A count exactly at the limit of its slack holds.
std::vector<gate_result> check_counts(const expectations& expected, std::span<const counted_result> cells);

/// Returns the counts of a report.
std::vector<counted_result> counts_in(const reports::report& report);

struct time_rule {
    double threshold_pct = 1;  // smaller differences are ignored
    double tolerated_pct = 5;  // larger slowdowns must be ruled out
};

/// Returns a gate result for each ratio of the baseline, judged by one session. If the session cannot judge
/// any ratio, returns a gate result for each failed contender and one with the reason. One session alone
/// never finds a regression: a ratio that is slower, or worse in another metric, is a suspect. The rule of
/// compare decides which slowdowns the other ratios must rule out (tolerated_in, judgement.hpp).
///
/// Each new pair is compared with the limit of the expected interval that is nearest to the median of the new
/// pairs, so that the baseline's uncertainty never counts against the build. As in compare, the verdicts are
/// corrected for the number of comparisons of the same metric (Holm).
std::vector<gate_result> check_times(const expected_times& expected, const reports::report& session,
                                     const time_rule& rule);

/// Returns a baseline for the second session: the expected ratios of the suspects among the gate results.
expected_times suspects_of(const expected_times& expected, std::span<const gate_result> results);

/// Returns the gate results of the first session, updated by the second session: a suspect in both sessions
/// is a regression. If the second session is unreliable, one gate result with this reason replaces all
/// suspects.
std::vector<gate_result> confirm(std::vector<gate_result> first, const expected_times& expected,
                                 const reports::report& second, const time_rule& rule);

}  // namespace loopbench::bench
