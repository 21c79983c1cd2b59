// From trials to results: the only place where the engine does statistics.
#pragma once

#include <string_view>
#include <vector>

#include "bench/experiment/record.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

/// Contenders, results and warnings of a run, and whether it is complete. The caller knows the rest (the
/// command and the environment).
reports::report summarise(const run_plan& plan, const run_outcome& outcome);

/// The log ratios of a result to another contender's of the same report, workload and metric, in the same
/// blocks and above 0 where `item` is better: those that its ratio to the baseline is from, if `to` is that.
/// Empty where there are none.
std::vector<double> log_ratios_of(const reports::result& item, const reports::result& to);

/// The report of a journal, to the byte the one that the run itself wrote.
reports::report report_of(const session_record& journal);

/// The report in a report.json, or of a journal.jsonl. Throws reports::format_error naming `name`.
reports::report read_report_or_journal(const std::string& text, std::string_view name);

}  // namespace loopbench::bench
