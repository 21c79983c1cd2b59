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

/// Returns false if the samples of the report are the repetitions of another program rather than blocks.
bool has_blocks(const reports::report& report);

std::vector<gate_result> judge_session(const reports::report& report);

std::optional<std::string> unknown_reliability(const reports::report& report);

/// Returns the worsening in per cent that a pass must rule out, or nothing if no worsening must be ruled out.
/// `headline` contains the workload's primary metrics.
///
/// `tolerated_pct` applies to times and capacities. Lateness, the CPU cost of waiting, and the 99th
/// percentile of latency differ by tens of per cent from trial to trial (reports/evidence/quick: sleep/serial
/// of asio-epoll, A/A). If the first primary metric is one of these metrics, only a doubling must be ruled
/// out. For other noisy metrics, nothing must be ruled out, but a significant worsening is a regression.
std::optional<double> tolerated_in(std::string_view metric, std::span<const std::string> headline,
                                   double tolerated_pct);

/// Returns a description of the worsening, for example "a slowdown above 5 %".
std::string worsening_above(std::string_view metric, double tolerated_pct);

inline constexpr std::string_view interrupted_report = "interrupted_report";

/// Returns the gate results of judge_session(). Unless the session is unreliable, adds a gate result for each
/// primary metric that is compared with the baseline. A benchmark that fails only in the baseline is unclear.
///
/// For a pass, the interval of each metric must rule out a worsening by more than tolerated_in(). On every
/// workload for which the baseline has numbers, every contender needs a metric that can be judged, and a
/// comparable value of the first primary metric. Without this rule, a report without any comparison would
/// pass.
std::vector<gate_result> judge_gate(const reports::report& report, double tolerated_pct);

void add_gate(reports::report& report, double tolerated_pct);

reports::report judged_report_of(const session_record& journal);

/// Reads a report from the text of a report.json or of a journal.jsonl. Throws reports::format_error, with
/// `name` in its message, if the text is invalid.
reports::report read_judged_report(const std::string& text, std::string_view name);

}  // namespace loopbench::bench
