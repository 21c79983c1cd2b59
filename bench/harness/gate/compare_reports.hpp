// Compares two reports of different days, or of different builds: finds what became slower.
#pragma once

#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns a report of `now` whose ratios are to `then`: above 1 is better than before. It contains the
/// primary metrics for which `then` has a number; if nothing can be compared for a workload and contender, it
/// contains the reason. Its warnings are about differing conditions (conditions.hpp).
///
/// Trials of two sessions are not pairs. If both sessions measured their baseline beside a contender, the
/// ratios to it are compared, so that a machine that became slower as a whole does not look like a
/// regression. The baseline itself, and contenders without one, are compared only by their times: from
/// session to session, the lateness of timers and the cost of waiting change by as much as their own size.
/// Nothing is compared in a workload whose baseline's time changed by more than a fifth: either the machine
/// is different, or a common part of all contenders has changed, which only one session with both builds can
/// show. A report with only the baseline offers no way to recognise the machine: its times are compared,
/// however much they changed.
///
/// The interval is that of Hodges and Lehmann's shift (rank_test.hpp), which rules out a slowdown or not for
/// each result separately. A verdict of a difference or of equivalence, however, needs the interval at the
/// level that keeps 95 % for all comparisons of a metric together (Bonferroni's): among many results of equal
/// builds, one deviates by chance.
reports::report compare_reports(const reports::report& then, const reports::report& now,
                                double threshold_pct);

}  // namespace loopbench::bench
