// From trials to results: the only place where the engine does statistics.
#pragma once

#include <string_view>

#include "bench/experiment/record.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

/// Contenders, results and warnings of a run, and whether it is complete. The caller knows the rest (the
/// command and the environment).
reports::report summarise(const run_plan& plan, const run_outcome& outcome);

/// The report of a journal, to the byte the one that the run itself wrote.
reports::report report_of(const session_record& journal);

/// The report in a report.json, or of a journal.jsonl. Throws reports::format_error naming `name`.
reports::report read_report_or_journal(std::string_view text, std::string_view name);

}  // namespace loopbench::bench
