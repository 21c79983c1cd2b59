// Turns trials into results; the only place where the engine does statistics.
#pragma once

#include <string_view>
#include <vector>

#include "bench/harness/experiment/record.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns contenders, results and warnings of a run, and whether it is complete. The caller adds the rest
/// (the command and the environment).
reports::report summarise(const run_plan& plan, const run_outcome& outcome);

/// Returns the log ratios of a result to another contender's in the same report, workload and metric, within
/// the same blocks; above 0 if `item` is better. If `to` is the baseline, the result's ratio is computed from
/// these. Empty if there are none.
std::vector<double> log_ratios_of(const reports::result& item, const reports::result& to);

/// Returns the report of a journal; it is byte for byte the report that the run itself wrote.
reports::report report_of(const session_record& journal);

/// Reads the report of a report.json or of a journal.jsonl. Throws reports::format_error with `name`.
reports::report read_report_or_journal(const std::string& text, std::string_view name);

}  // namespace loopbench::bench
