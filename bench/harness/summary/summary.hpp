#pragma once

#include <string_view>
#include <vector>

#include "bench/harness/experiment/record.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

reports::report summarise(const run_plan& plan, const run_outcome& outcome);

/// Returns one log ratio for each block, which is above 0 if `item` is better than `to`. `to` is the result
/// of another contender for the same workload and metric. If `to` is the baseline's result, the ratio of
/// `item` was computed from these log ratios. The list is empty if there are no pairs.
std::vector<double> log_ratios_of(const reports::result& item, const reports::result& to);

/// Returns the report of a session. It is identical, byte for byte, to the report that the run itself wrote.
reports::report report_of(const session_record& journal);

/// Reads a report from the text of a report.json or of a journal.jsonl. Throws reports::format_error, with
/// `name` in its message, if the text is invalid.
reports::report read_report_or_journal(const std::string& text, std::string_view name);

}  // namespace loopbench::bench
