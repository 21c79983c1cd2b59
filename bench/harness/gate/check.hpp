// Checks a build against a baseline file: compares counts with a fixed slack, and ratios of times with
// statistical tests.
//
// Counts are the same on any machine and at any time. Therefore a single count that exceeds the expected
// count by more than the slack fails a build. Times vary. A ratio fails a build only if its interval lies
// beyond the threshold, a second session with its own trials confirms the result, and the A/A comparisons of
// the two sessions find no difference.
#pragma once

#include <span>
#include <vector>

#include "bench/harness/gate/baseline.hpp"
#include "bench/harness/gate/gate_result.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns a gate result for each count of the baseline file. A count that is exactly at the limit of its
/// slack still gets the gate result `holds`.
std::vector<gate_result> check_counts(const expectations& expected, std::span<const counted_result> cells);

/// Returns the counts in a report, as the counting pass would return them.
std::vector<counted_result> counts_in(const reports::report& report);

struct time_rule {
    double threshold_pct = 1;  // in per cent; smaller differences are ignored
    double tolerated_pct = 5;  // in per cent; larger slowdowns must be ruled out
};

/// Returns a gate result for each ratio of the baseline file, judged by one session. If the session cannot
/// judge any ratio, returns only a gate result for each failed contender, and one gate result that states why
/// no ratio can be judged. One session never shows a regression: a ratio that is significantly worse than
/// expected gets the gate result `suspect`. tolerated_in() (judgement.hpp) decides which slowdowns the other
/// ratios must rule out, as in `compare`.
///
/// Compares the new pairs with one value from the interval of the expected ratio: the value that is nearest
/// to the median of the new pairs. Thus the uncertainty of the baseline file never counts against the build.
/// Corrects the verdicts for the number of comparisons of the same metric (Holm), as `compare` does.
std::vector<gate_result> check_times(const expected_times& expected, const reports::report& session,
                                     const time_rule& rule);

/// Returns the expected ratios that a second session must check: those with the gate result `suspect`.
expected_times suspects_of(const expected_times& expected, std::span<const gate_result> results);

/// Returns the gate results of the first session, updated by the second session. A ratio that is suspect in
/// both sessions is a regression. If the second session cannot judge any ratio, its gate results replace all
/// suspects.
std::vector<gate_result> confirm(std::vector<gate_result> first, const expected_times& expected,
                                 const reports::report& second, const time_rule& rule);

}  // namespace loopbench::bench
