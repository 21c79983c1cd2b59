// Turns trials into results. Only this module of the engine computes statistics.
#pragma once

#include <string_view>
#include <vector>

#include "bench/harness/experiment/record.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns a report with the contenders, results and warnings of a run, and whether the run is complete. The
/// caller adds the rest of the report (the command and the environment).
reports::report summarise(const run_plan& plan, const run_outcome& outcome);

/// Returns the log ratios of a result to the result of another contender in the same report, workload and
/// metric. Each log ratio comes from one block, and is above 0 if `item` is better. If `to` is the baseline's
/// result, these are the log ratios from which the ratio of `item` is computed. Returns an empty list if
/// there is no pair.
std::vector<double> log_ratios_of(const reports::result& item, const reports::result& to);

/// Returns the report of a journal. It equals, byte for byte, the report that the run itself wrote.
reports::report report_of(const session_record& journal);

/// Returns the report from the text of a report.json or of a journal.jsonl. Throws reports::format_error with
/// `name` in its message.
reports::report read_report_or_journal(const std::string& text, std::string_view name);

}  // namespace loopbench::bench
