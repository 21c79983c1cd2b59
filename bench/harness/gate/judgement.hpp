// Judges a build: derives gate results from the verdicts of its report.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/gate/gate_result.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns the gate results that need no comparison: for failed contenders, for planned results that were not
/// reached, and for an unreliable session.
std::vector<gate_result> judge_session(const reports::report& report);

/// Returns the reason why the machine's reliability is unknown, and the remedy. Returns nothing if the
/// reliability is known.
std::optional<std::string> unknown_reliability(const reports::report& report);

/// Returns the tolerated worsening of this metric, in per cent: the gate passes only if a larger worsening is
/// ruled out. Returns nothing if this metric need not rule out any worsening. `headline` contains the
/// workload's primary metrics.
///
/// `tolerated_pct` applies to times and capacities, because their values for one build differ by only some
/// per cent. Lateness, the CPU cost of waiting, and the 99th percentile of latency differ by tens of per cent
/// from trial to trial (reports/evidence/quick: sleep/serial of asio-epoll, A/A). A session of ordinary
/// length cannot rule out a worsening of 5 % for these noisy metrics. If the first primary metric is noisy,
/// only a worsening to more than twice the value must be ruled out. The other noisy metrics need not rule out
/// any worsening, but a significant worsening is a regression.
std::optional<double> tolerated_in(std::string_view metric, std::span<const std::string> headline,
                                   double tolerated_pct);

/// Returns the gate results of judge_session(). Unless the session is unreliable, adds a gate result for each
/// primary metric of each workload and contender that has a ratio to the baseline or a difference from it.
///
/// The interval of a metric must rule out a worsening by more than the tolerated share (tolerated_in). For
/// every workload on which the baseline has numbers, every contender needs a metric that can be judged, and
/// needs a value of the first primary metric that can be compared. Otherwise a report without any comparison
/// would pass.
std::vector<gate_result> judge_gate(const reports::report& report, double tolerated_pct);

}  // namespace loopbench::bench
