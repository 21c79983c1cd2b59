// Compares two reports from different days or of different builds, to find results that became slower.
#pragma once

#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns a copy of the report `now` whose ratios are relative to the results in `then`. A ratio above 1
/// means better than before. The returned report contains the primary metrics for which `then` has a number.
/// If nothing can be compared for a workload and contender, it contains the reason. Its warnings describe
/// differences between the conditions of the two reports (conditions.hpp).
///
/// Trials of two sessions are not pairs. If each session measured a contender together with the same
/// baseline, the contender's ratios to the baseline are compared. Thus a slower machine does not look like a
/// regression of the contender. The baseline itself, and contenders without a baseline, are compared only by
/// their times, because lateness and the CPU cost of waiting can double from session to session.
///
/// If the baseline's time on a workload changed by more than a fifth, nothing is compared on this workload.
/// In this case, either the machine is different, or a part that all contenders share has changed. Only a
/// session that measures both builds can distinguish these two cases. A report that contains only the
/// baseline cannot show that the machine is different. Therefore the times of such a report are compared even
/// after a large change.
///
/// The interval of a result is the 95 % interval of Hodges and Lehmann's shift (rank_test.hpp). This interval
/// decides whether a slowdown of the result is ruled out. The verdicts `faster`, `slower` and `equivalent`
/// use an interval at a stricter level (Bonferroni's correction), because among many results of equal builds
/// some deviate by chance. This level keeps 95 % for all comparisons of a metric together.
reports::report compare_reports(const reports::report& then, const reports::report& now,
                                double threshold_pct);

}  // namespace loopbench::bench
