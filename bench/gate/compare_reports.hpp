// Two reports of different days, or of different builds: what is slower than it was.
#pragma once

#include "reports/results.hpp"

namespace loopbench::bench {

/// A report of `now` whose ratios are to `then`: above 1 is better than it was. In it is what `then` has a
/// number for, of the metrics that its workload is about; where nothing of a cell can be compared, the reason
/// is. Its warnings are of conditions that differ (conditions.hpp).
///
/// Trials of two sessions are no pairs. Where both measured their own baseline beside a contender, the
/// ratios to it are compared, so that a machine which became slower altogether does not look like a
/// regression; the baseline itself, and where there is none, is compared by its times, and in nothing
/// else: how late timers are, and what waiting costs, changes from session to session by as much again.
/// Nothing is compared in a workload whose baseline's time moved by more than a fifth: the machine was
/// another one, or what all have in common has changed, which one session of both builds can tell. A
/// report of the baseline alone has nothing to know the machine by: there its times are compared, by
/// however much they moved.
///
/// The interval is that of Hodges and Lehmann's shift (rank_test.hpp); it rules a slowdown out or not, each
/// cell for itself. A verdict of a difference or of none, however, needs the interval at the level that
/// keeps 95 % for all comparisons of a metric together (Bonferroni's): among many cells of equal builds one
/// lies apart by chance.
reports::report compare_reports(const reports::report& then, const reports::report& now,
                                double threshold_pct);

}  // namespace loopbench::bench
