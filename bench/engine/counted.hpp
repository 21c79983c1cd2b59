// What the counting pass found, as journal and report have it: the pass itself is somewhere else
// (bench/counting), but a report has to come out the same from the run and from its journal.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "reports/results.hpp"

namespace loopbench::bench {

/// Counts are what they are; what was timed is a median, and its interval is that of its samples.
struct counted_cell {
    std::string workload, contender;
    std::map<std::string, double> metrics;  // by the names of reports/metrics.cpp
    std::vector<std::string> missing;       // why others are not there
    bool failed = false;                    // the contender did not do the work; `missing` says how
    std::string tracer = {};                // who counted the system calls; empty when nobody did
    std::map<std::string, std::vector<double>> samples = {};  // of those metrics that are medians
};

/// Whether the cell was measured, as only those are counted.
bool has_time(const reports::report& report, const std::string& workload, const std::string& contender);

/// Adds the counts to the report, and the medians with their intervals, behind the cell's other results and
/// in the order of the metrics, and a warning for each reason why some are missing. Cells without a time are
/// passed over.
void add_counts(reports::report& report, std::span<const counted_cell> cells);

}  // namespace loopbench::bench
