#pragma once

#include <string>
#include <vector>

#include "reports/model/results.hpp"

namespace loopbench::bench {

/// A report that another program than loopbench measured, for example the output of a Google Benchmark
/// program.
struct third_party_report {
    reports::report& report;
    const std::string& file;
};

/// Prepares two reports for compare_reports(). Gives the program in `then` the name of the program in `now`,
/// because the files of two builds often have different names. Removes the benchmarks that only one report
/// has, and returns warnings that list them: such a benchmark decides nothing. Throws usage_error if the
/// reports have no benchmark in common.
std::vector<reports::warning> match_third_party(third_party_report then, third_party_report now);

}  // namespace loopbench::bench
