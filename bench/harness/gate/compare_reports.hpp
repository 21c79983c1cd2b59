// Compares two reports from different days or of different builds: finds what became slower.
#pragma once

#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns a report of `now` whose ratios are relative to `then`: above 1 means better than before. The
/// report contains the primary metrics for which `then` has a number. If nothing can be compared for a
/// workload and contender, the report contains the reason. Its warnings are about differing conditions
/// (conditions.hpp).
///
/// Trials of two sessions are not pairs. If both sessions measured their baseline together with a contender,
/// the contender's ratios to the baseline are compared, so that a slower machine does not look like a
/// regression of the contender. The baseline itself, and contenders without a baseline, are compared only by
/// their times: lateness of timers and the cost of waiting can double from session to session.
///
/// If the baseline's time in a workload changed by more than a fifth, nothing is compared in this workload.
/// Either the machine is different, or a part that all contenders share has changed; only one session with
/// both builds can tell these cases apart. A report that has only the baseline cannot show that the machine
/// is different. Therefore its times are compared, even after a large change.
///
/// The interval is that of Hodges and Lehmann's shift (rank_test.hpp). It decides for each result separately
/// whether a slowdown is ruled out. A verdict of a difference or of equivalence needs an interval at a
/// stricter level, which keeps 95 % for all comparisons of a metric together (Bonferroni's correction),
/// because among many results of equal builds some deviate by chance.
reports::report compare_reports(const reports::report& then, const reports::report& now,
                                double threshold_pct);

}  // namespace loopbench::bench
