#pragma once

#include <string_view>

#include "reports/model/results.hpp"

namespace loopbench::bench {

enum class measured_by { loopbench, third_party };

/// The code of the warning that a third-party report has too few repetitions for a verdict.
inline constexpr std::string_view too_few_repetitions = "too_few_repetitions";

/// Returns a copy of the report `now` whose ratios are relative to `then`; a ratio above 1 means better than
/// before. If nothing can be compared for a workload and contender, the copy contains the reason. The
/// warnings of the copy describe differences between the conditions of the two reports (conditions.hpp).
///
/// If each session measured a contender together with the same baseline, the contender's ratios to the
/// baseline are compared. Thus a slower machine does not look like a regression of the contender. Other
/// contenders are compared only by their times, because lateness and the CPU cost of waiting can double from
/// session to session.
///
/// If the baseline's time on a workload changed by more than a fifth, nothing is compared on this workload:
/// either the machine is different, or a part that all contenders share has changed. A report that contains
/// only the baseline cannot show such a change, so its times are compared anyway.
///
/// The interval of a result is the 95 % interval of Hodges and Lehmann's shift (rank_test.hpp). The verdicts
/// use a stricter level (Bonferroni's correction), which keeps 95 % for all comparisons of a metric together.
///
/// Reports of third-party programs are also compared by their CPU time, which decides nothing. If repetitions
/// are too few for a verdict, a warning names the remedy.
reports::report compare_reports(const reports::report& then, const reports::report& now, double threshold_pct,
                                measured_by whom = measured_by::loopbench);

}  // namespace loopbench::bench
