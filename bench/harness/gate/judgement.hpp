// Judges a build by a report: derives gate results from its verdicts.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/gate/gate_result.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns the gate results that outrank every comparison: failed contenders, an unreliable session, and
/// planned results that were not reached. Empty if there are none.
std::vector<gate_result> judge_session(const reports::report& report);

/// Returns why the machine's reliability is unknown, and what to do; nothing if it is known.
std::optional<std::string> unknown_reliability(const reports::report& report);

/// Returns by how many per cent a contender may be worse in a metric without this having to be ruled out;
/// nothing if nothing has to be ruled out. `headline` has the workload's primary metrics.
///
/// Times and capacities of one build agree to within some per cent, and `tolerated_pct` is for these.
/// Lateness, the CPU cost of waiting, and the 99th percentile of latency differ by tens of per cent from
/// trial to trial (reports/evidence/quick: sleep/serial of asio-epoll, A/A), so no session of ordinary length
/// rules out 5 %. Of these metrics, the first one must be known to less than twice as much; the others are
/// regressions if they are significantly worse, and need not rule out anything.
std::optional<double> tolerated_in(std::string_view metric, std::span<const std::string> headline,
                                   double tolerated_pct);

/// Returns the gate results of judge_session() and then, unless the session is unreliable, one for each
/// primary metric of each workload and contender with a ratio or a difference to the baseline.
///
/// A metric that is not worse must rule out, with its whole interval, that it is worse by more than the
/// tolerated share. Every result for which the baseline has numbers must have a judgeable metric, and the
/// first of its primary metrics that can be compared: an empty list of results is a pass only if there
/// could have been any.
std::vector<gate_result> judge_gate(const reports::report& report, double tolerated_pct);

}  // namespace loopbench::bench
