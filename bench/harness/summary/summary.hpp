#pragma once

#include <string_view>
#include <vector>

#include "bench/harness/experiment/record.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

reports::report summarise(const run_plan& plan, const run_outcome& outcome);

/// Each log ratio comes from one block, and is above 0 if `item` is better than `to`, the same workload and
/// metric of another contender. If `to` is the baseline's result, the ratio of `item` was computed from these
/// log ratios. The list is empty if there are no pairs.
std::vector<double> log_ratios_of(const reports::result& item, const reports::result& to);

/// Returns, byte for byte, the report that the run itself wrote.
reports::report report_of(const session_record& journal);

/// Accepts the text of a report.json or of a journal.jsonl. Throws reports::format_error, with `name` in its
/// message, if the text is invalid.
reports::report read_report_or_journal(const std::string& text, std::string_view name);

}  // namespace loopbench::bench
