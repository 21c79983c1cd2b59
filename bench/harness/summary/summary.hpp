// Turns the trials of a run into a report with results, verdicts and warnings.
#pragma once

#include <string_view>
#include <vector>

#include "bench/harness/experiment/record.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns the report of a run, without the command and the environment, which the caller adds.
reports::report summarise(const run_plan& plan, const run_outcome& outcome);

/// Returns the log ratios of the result `item` to the result `to`, which is of another contender in the same
/// report, for the same workload and metric. Each log ratio comes from one block, and is above 0 if `item` is
/// better. If `to` is the baseline's result, returns the log ratios from which the ratio of `item` was
/// computed. Returns an empty list if `item` and `to` have no pairs.
std::vector<double> log_ratios_of(const reports::result& item, const reports::result& to);

/// Returns the report of a journal. This report equals the report that the run itself wrote, byte for byte.
reports::report report_of(const session_record& journal);

/// Returns the report from the text of a report.json or of a journal.jsonl. If the text is invalid, throws
/// reports::format_error with `name` in its message.
reports::report read_report_or_journal(const std::string& text, std::string_view name);

}  // namespace loopbench::bench
