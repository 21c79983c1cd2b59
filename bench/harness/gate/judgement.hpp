// Judges a build by a report: derives gate results from the report's verdicts.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/gate/gate_result.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns the gate results that outrank every comparison: failed contenders, planned results that were not
/// reached, and an unreliable session.
std::vector<gate_result> judge_session(const reports::report& report);

/// Returns the reason why the machine's reliability is unknown, and the remedy; nothing if the reliability is
/// known.
std::optional<std::string> unknown_reliability(const reports::report& report);

/// Returns the largest worsening of this metric, in per cent, that a contender need not rule out. Returns
/// nothing if the contender need not rule out any worsening. `headline` contains the workload's primary
/// metrics.
///
/// `tolerated_pct` applies to times and capacities: their values for one build agree to within some per cent.
/// Lateness, the CPU cost of waiting, and the 99th percentile of latency differ by tens of per cent from
/// trial to trial (reports/evidence/quick: sleep/serial of asio-epoll, A/A), so that no session of ordinary
/// length rules out a worsening of 5 %. If such a metric is the first primary metric, a worsening to twice
/// the value must be ruled out. Other such metrics need not rule out any worsening, but are regressions if
/// they are significantly worse.
std::optional<double> tolerated_in(std::string_view metric, std::span<const std::string> headline,
                                   double tolerated_pct);

/// Returns the gate results of judge_session(). Unless the session is unreliable, adds a gate result for each
/// primary metric of each workload and contender with a ratio or a difference to the baseline.
///
/// The whole interval of a metric that is not worse must rule out a worsening beyond the tolerated share.
/// Every workload and contender for which the baseline has numbers needs a metric that can be judged, and
/// needs the first of its primary metrics that can be compared. Otherwise a report without any comparison
/// would pass.
std::vector<gate_result> judge_gate(const reports::report& report, double tolerated_pct);

}  // namespace loopbench::bench
