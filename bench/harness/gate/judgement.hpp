// Judges a build: derives gate results from the verdicts of its report.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/experiment/record.hpp"
#include "bench/harness/gate/gate_result.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns the gate results that do not depend on a comparison: for failed contenders, for planned results
/// that were not measured, and for an unreliable session.
std::vector<gate_result> judge_session(const reports::report& report);

/// Returns the reason why the reliability of the session is unknown, and the remedy. Returns nothing if the
/// reliability is known.
std::optional<std::string> unknown_reliability(const reports::report& report);

/// Returns the tolerated worsening of this metric, in per cent: the gate passes only if a larger worsening is
/// ruled out. Returns nothing if no worsening of this metric must be ruled out. `headline` contains the
/// workload's primary metrics.
///
/// `tolerated_pct` applies to times and capacities, because their values for one build differ by only some
/// per cent. Lateness, the CPU cost of waiting, and the 99th percentile of latency differ by tens of per cent
/// from trial to trial (reports/evidence/quick: sleep/serial of asio-epoll, A/A). A session of ordinary
/// length cannot rule out a worsening of 5 % for these noisy metrics. If the first primary metric is noisy,
/// only a worsening to more than twice the value must be ruled out. For the other noisy metrics, no worsening
/// must be ruled out, but a significant worsening is a regression.
std::optional<double> tolerated_in(std::string_view metric, std::span<const std::string> headline,
                                   double tolerated_pct);

/// Returns a phrase for the worsening of the metric that must be ruled out: "a slowdown above 5 %".
std::string worsening_above(std::string_view metric, double tolerated_pct);

/// The code of the warning that one of two compared reports comes from an interrupted run. A report with this
/// warning does not pass a gate.
inline constexpr std::string_view interrupted_report = "interrupted_report";

/// Returns the gate results of judge_session(). Unless the session is unreliable, also returns a gate result
/// for each primary metric of each workload and contender that has a ratio to the baseline or a difference
/// from it.
///
/// For a pass, the interval of each metric must rule out a worsening by more than the tolerated share
/// (tolerated_in). For every workload on which the baseline has numbers, every contender needs a metric that
/// can be judged, and needs a value of the first primary metric that can be compared. Otherwise a report
/// without any comparison would pass.
std::vector<gate_result> judge_gate(const reports::report& report, double tolerated_pct);

/// Judges the report of a comparison with judge_gate(), and adds the verdict to the report.
void add_gate(reports::report& report, double tolerated_pct);

/// Returns the report that follows from a journal. If the journal comes from a complete comparison, the
/// report contains the verdict.
reports::report judged_report_of(const session_record& journal);

/// Returns the report from the text of a report.json, or judged_report_of() from the text of a journal.jsonl.
/// If the text is invalid, throws reports::format_error with `name` in its message.
reports::report read_judged_report(const std::string& text, std::string_view name);

}  // namespace loopbench::bench
