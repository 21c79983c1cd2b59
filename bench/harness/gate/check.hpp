// Counts are the same on any machine. Therefore one count that exceeds its slack fails a build. Times vary
// from run to run. Therefore a ratio fails a build only if its interval lies beyond the threshold, a second
// session confirms this, and the A/A comparisons of both sessions find no difference.
#pragma once

#include <span>
#include <vector>

#include "bench/harness/gate/baseline.hpp"
#include "bench/harness/gate/gate_result.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Compares the measured counts with the expected counts. A count that is exactly at the limit of its slack
/// gets the gate result `holds`.
std::vector<gate_result> check_counts(const expectations& expected, std::span<const counted_result> cells);

std::vector<counted_result> counts_in(const reports::report& report);

struct time_rule {
    double threshold_pct = 1;  // smaller differences are ignored
    double tolerated_pct = 5;  // larger slowdowns must be ruled out
};

/// Judges each expected ratio by one session. A single session never shows a regression, so a ratio that is
/// significantly worse only gets the gate result `suspect`. If the session cannot judge any ratio, returns
/// only the gate results of failed contenders and the reason.
///
/// Compares the pairs of the session with the value in the expected interval that is nearest to the median of
/// these pairs. Thus the uncertainty of the baseline file never counts against the build. Corrects the
/// verdicts for the number of comparisons of the same metric (Holm), as `compare` does.
std::vector<gate_result> check_times(const expected_times& expected, const reports::report& session,
                                     const time_rule& rule);

/// Returns the expected ratios whose gate result is `suspect`.
expected_times suspects_of(const expected_times& expected, std::span<const gate_result> results);

/// Combines the gate results of the first session with those of a second session. A ratio that is suspect in
/// both sessions becomes a regression. If the second session cannot judge any ratio, its gate results replace
/// all suspects.
std::vector<gate_result> confirm(std::vector<gate_result> first, const expected_times& expected,
                                 const reports::report& second, const time_rule& rule);

}  // namespace loopbench::bench
